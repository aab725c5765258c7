import assert from "node:assert/strict";
import test from "node:test";
import { Loader, type Report, type Surroundings } from "./loader.ts";

/** A loader whose loads and clock the test moves. */
class Bench {
  time = 0;
  timers: { at: number; act: () => void }[] = [];
  loads: { resolve: (value: string) => void; reject: (why: string) => void; stop: AbortSignal }[] = [];
  told: string[] = [];
  private readonly around: Surroundings = {
    now: () => this.time,
    later: (wait, act) => {
      const timer = { at: this.time + wait, act };
      this.timers.push(timer);
      return () => void this.timers.splice(this.timers.indexOf(timer), 1);
    },
  };
  readonly loader = new Loader<string>(
    (stop) => new Promise((resolve, reject) => this.loads.push({ resolve, reject, stop })),
    (report: Report<string>) => {
      if (report.kind === "value") this.told.push(report.value);
      if (report.kind === "problem") this.told.push(`! ${String(report.problem)}`);
    },
    this.around,
  );

  advance(milliseconds: number) {
    this.time += milliseconds;
    const due = this.timers.filter((timer) => timer.at <= this.time);
    this.timers = this.timers.filter((timer) => timer.at > this.time);
    for (const timer of due) timer.act();
  }

  /** Lets promises that are settled be seen. */
  async settle() {
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  }
}

test("a burst of changes loads once a second, and the last change is not lost", async () => {
  const bench = new Bench();
  bench.loader.again();
  for (let change = 0; change < 10; change += 1) bench.loader.changed();
  assert.equal(bench.loads.length, 1);
  bench.loads[0]!.resolve("first");
  await bench.settle();
  assert.deepEqual(bench.told, ["first"]);
  bench.advance(999);
  bench.loader.changed();
  assert.equal(bench.loads.length, 1);
  bench.advance(1);
  assert.equal(bench.loads.length, 2);
  bench.loads[1]!.resolve("second");
  await bench.settle();
  bench.advance(10_000);
  assert.equal(bench.loads.length, 2);
  assert.deepEqual(bench.told, ["first", "second"]);
});

test("changes never stop a load that runs", async () => {
  const bench = new Bench();
  bench.loader.again();
  for (let change = 0; change < 100; change += 1) {
    bench.advance(100);
    bench.loader.changed();
  }
  assert.equal(bench.loads[0]!.stop.aborted, false);
  bench.loads[0]!.resolve("slow");
  await bench.settle();
  assert.deepEqual(bench.told, ["slow"]);
});

test("asking again replaces the load that runs", async () => {
  const bench = new Bench();
  bench.loader.again();
  bench.loader.again();
  assert.equal(bench.loads[0]!.stop.aborted, true);
  bench.loads[1]!.resolve("new");
  await bench.settle();
  bench.loads[0]!.resolve("old");
  await bench.settle();
  assert.deepEqual(bench.told, ["new"]);
});

test("asking again while waiting loads once", async () => {
  const bench = new Bench();
  bench.loader.again();
  bench.loads[0]!.resolve("a");
  await bench.settle();
  bench.loader.changed();
  bench.loader.again();
  bench.loads[1]!.resolve("b");
  await bench.settle();
  bench.advance(5_000);
  assert.equal(bench.loads.length, 2);
});

test("a failure is told, and the next change tries again", async () => {
  const bench = new Bench();
  bench.loader.again();
  bench.loads[0]!.reject("away");
  await bench.settle();
  bench.advance(2_000);
  bench.loader.changed();
  bench.advance(0);
  bench.loads[1]!.resolve("back");
  await bench.settle();
  assert.deepEqual(bench.told, ["! away", "back"]);
});

test("nothing happens after the end", async () => {
  const bench = new Bench();
  bench.loader.again();
  bench.loader.changed();
  bench.loader.close();
  bench.loads[0]!.resolve("late");
  await bench.settle();
  bench.loader.changed();
  bench.loader.again();
  bench.advance(10_000);
  assert.equal(bench.loads.length, 1);
  assert.deepEqual(bench.told, []);
});

// What the page knows of the hub, as signals that views read. Only `live.ts` and tests write.
// Bounded: at most 500 ended calls, however many there were.

import { batch, computed, type Signal, signal } from "@preact/signals";
import { outcomeTone } from "./format.ts";
import { isOwnRead } from "./own_calls.ts";
import { Timeline } from "./timeline.ts";
import type {
  Call,
  CallsEvent,
  Changed,
  EndedCall,
  GatewayStatus,
  MovedCall,
  OwnerQuestion,
  QuestionsEvent,
  Recording,
  State,
  Waiting,
} from "./types.ts";

export const MAX_RECENT = 500;

/** How the page hears of changes; `away` says why it does not. */
export type Link = { phase: "connecting" } | { phase: "live" } | { phase: "away"; reason: string };

export const link = signal<Link>({ phase: "connecting" });
/** Whether a first state has arrived: before it, lists are unknown, not empty. */
export const known = signal(false);
export const status = signal<GatewayStatus | null>(null);
/** When the status was read, since the uptimes in it count from then. */
export const statusAt = signal(0);
export const running = signal<ReadonlyMap<number, Call>>(new Map());
/** Newest last. */
export const recent = signal<readonly EndedCall[]>([]);
/** Calls that ended and that the hub's full buffer left out. */
export const dropped = signal(0);
/** How many calls ended in each of the last seconds; `recent` grows whenever it does. */
export const timeline = new Timeline();
/** The same without the reads of this page itself. */
export const othersTimeline = new Timeline();
export const questions = signal<readonly OwnerQuestion[]>([]);
/** When the questions were read, since their ages count from then. */
export const questionsAt = signal(0);
export const waiting = signal<Waiting>({ approvals: [], changed_tools: [], logins: [] });

/** The recordings of messages that run, the oldest first. */
export const recordings = signal<readonly Recording[]>([]);

/** Counts the changes of each kind: a view that reads its signal refetches when it grows. */
export const changes: Record<Changed, Signal<number>> = {
  memory: signal(0),
  tasks: signal(0),
  trees: signal(0),
  tools: signal(0),
  audit: signal(0),
  usage: signal(0),
  rules: signal(0),
  health: signal(0),
};

export const openQuestions = computed(() => questions.value.filter((question) => question.answer === null));
export const waitingCount = computed(
  () =>
    openQuestions.value.length +
    waiting.value.approvals.length +
    waiting.value.changed_tools.length +
    waiting.value.logins.length,
);

export function applyState(state: State): void {
  batch(() => {
    applyStatus(state.status);
    running.value = new Map(state.running.map((call) => [call.id, call]));
    recent.value = state.recent.slice(-MAX_RECENT);
    dropped.value = 0;
    timeline.clear();
    othersTimeline.clear();
    for (const call of state.recent) count(call, Date.parse(call.at) + call.duration_us / 1000);
    applyQuestions(state);
    applyRecordings(state.recordings ?? []);
    known.value = true;
    // Whatever happened before this state may have changed everything else too.
    for (const counter of Object.values(changes)) counter.value = counter.peek() + 1;
  });
}

export function applyCalls({ begun, ended, dropped: lost }: CallsEvent): void {
  batch(() => {
    // A frame may overlap with the state before it: no call ends twice, and none runs after its end.
    const over = new Set(recent.value.map((call) => call.id));
    const fresh = ended.filter((call) => !over.has(call.id));
    const next = new Map(running.value);
    for (const call of begun) if (!over.has(call.id)) next.set(call.id, call);
    for (const call of ended) next.delete(call.id);
    running.value = next;
    const now = Date.now();
    for (const call of fresh) count(call, now);
    if (lost > 0) for (const line of [timeline, othersTimeline]) line.add(now, { unknown: lost });
    recent.value = [...recent.value, ...fresh].slice(-MAX_RECENT);
    if (lost > 0) dropped.value += lost;
  });
}

function count(call: EndedCall, at: number): void {
  if (Number.isNaN(at)) return;
  const tone = outcomeTone(call.outcome);
  const counts = tone === "bad" || call.outcome === "timeout" ? { bad: 1 } : { good: 1 };
  timeline.add(at, counts);
  if (!isOwnRead(call)) othersTimeline.add(at, counts);
}

/** A call that has ended meanwhile stays ended. */
export function applyProgress(moved: readonly MovedCall[]): void {
  const next = new Map(running.peek());
  for (const { id, progress } of moved) {
    const call = next.get(id);
    if (call) next.set(id, { ...call, progress });
  }
  running.value = next;
}

export function applyQuestions(event: QuestionsEvent): void {
  batch(() => {
    questions.value = event.questions;
    waiting.value = event.waiting;
    questionsAt.value = Date.now();
  });
}

export function applyRecordings(running: readonly Recording[]): void {
  recordings.value = running;
}

/** One question's new answer, before the stream tells of it. */
export function applyAnswer(answered: OwnerQuestion): void {
  questions.value = questions.value.map((question) => (question.number === answered.number ? answered : question));
}

export function applyStatus(next: GatewayStatus): void {
  batch(() => {
    status.value = next;
    statusAt.value = Date.now();
  });
}

export function applyChanged(what: readonly Changed[]): void {
  batch(() => {
    for (const kind of what) {
      const counter = changes[kind];
      // A newer hub may name kinds that this page does not know.
      if (counter) counter.value = counter.peek() + 1;
    }
  });
}

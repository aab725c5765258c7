// How near a limit is to its bound, and what of the health needs attention. Pure.

import type { Health } from "../../types.ts";

export type Limit = Health["limits"][number];

/** `full` refuses now or soon; `near` is worth a look. */
export type Nearness = "fine" | "near" | "full";

/** From these shares of its bound on, a limit is marked. */
export const NEAR = 0.8;
export const FULL = 0.95;

export function share(limit: Limit): number {
  return limit.max <= 0 ? 0 : Math.min(1, Math.max(0, limit.used / limit.max));
}

/** `0 %`, `< 1 %`, `83 %`; a full limit is 100 % and no other. */
export function shareText(limit: Limit): string {
  const used = 100 * share(limit);
  if (used > 0 && used < 1) return "< 1 %";
  return `${used < 100 ? Math.min(99, Math.round(used)) : 100} %`;
}

export function nearness(limit: Limit): Nearness {
  const used = share(limit);
  if (FULL <= used) return "full";
  return NEAR <= used ? "near" : "fine";
}

/** Limits near their bounds first, then as the hub lists them. */
export function byNearness(limits: readonly Limit[]): Limit[] {
  const order = { full: 0, near: 1, fine: 2 };
  return [...limits].sort((a, b) => order[nearness(a)] - order[nearness(b)]);
}

/** Less than a tenth of a gigabyte free: the next backup or migration may fail. */
export const MIN_FREE_BYTES = 100_000_000;

// What a person does with recordings: starts and stops them, and what they are called.

import { get, post } from "../../api.ts";
import { durationText, shorten, visible } from "../../format.ts";
import { applyRecordings } from "../../state.ts";
import type { Recording, RecordingSubject } from "../../types.ts";

const LIST = "/ui/api/recordings";

/** The times that a person chooses from; the hub takes 1 to 60 minutes. */
export const MINUTES: readonly number[] = [1, 5, 10, 30, 60];
export const USUAL_MINUTES = 10;

/** Starts a recording; its id. The list is read again at once, not only with the next event. */
export async function startRecording(subject: RecordingSubject, minutes: number): Promise<number> {
  const { id } = await post<{ id: number }>(LIST, { subject, minutes });
  applyRecordings(await get<Recording[]>(LIST));
  return id;
}

export async function stopRecording(id: number): Promise<void> {
  await post(`${LIST}/${id}/stop`);
  applyRecordings(await get<Recording[]>(LIST));
}

/** `server shop`, `client Ada's editor`, `all clients`. */
export function subjectText(subject: RecordingSubject): string {
  if (subject === "all-clients") return "all clients";
  return "server" in subject ? `server ${named(subject.server)}` : `client ${named(subject.client)}`;
}

export function isSame(one: RecordingSubject, other: RecordingSubject): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** How long a recording still runs: `9 min 40 s`. */
export function leftText(recording: Recording, now: number): string {
  const seconds = Math.max(0, Math.ceil((Date.parse(recording.ends) - now) / 1000));
  if (seconds === 0) return "ending";
  return seconds < 60 ? `${seconds} s` : durationText(seconds * 1_000_000);
}

function named(name: string): string {
  return shorten(visible(name), 60);
}

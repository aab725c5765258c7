// The sign on every part of the page that messages are being recorded, with the time that is left.

import { computed } from "@preact/signals";
import { href } from "../../router.ts";
import { recordings } from "../../state.ts";
import { clock } from "../../ui/clock.ts";
import { leftText, subjectText } from "./actions.ts";
import "./recorder.css";

/** Whether a recording runs: only then the navigation shows the recorder. */
export const isRecording = computed(() => recordings.value.length > 0);

export function RecordingLight() {
  const all = recordings.value;
  const last = all.reduce((latest, it) => (latest === undefined || latest.ends < it.ends ? it : latest), all[0]);
  if (last === undefined) return null;
  const what = all.length === 1 ? subjectText(last.subject) : `${all.length} recordings`;
  return (
    <a class="recording-light" href={href("recorder")} title={`Hobnob records messages: ${what}`}>
      <span class="dot bad" aria-hidden="true" />
      <span class="hidden">Recording {what}, </span>
      <span class="label">REC </span>
      {leftText(last, clock.value)}
    </a>
  );
}

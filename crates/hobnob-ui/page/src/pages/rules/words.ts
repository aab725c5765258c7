// Words for rules: what an action does, whom a rule is about, where it stands. Pure.

import type { Tone } from "../../format.ts";
import type { Action, Group, Report, Rule } from "./types.ts";

export const ACTIONS: readonly Action[] = ["allow", "ask", "ask-owner", "deny"];

const WORDS: Record<Action, { title: string; tone: Tone; about: string }> = {
  allow: { title: "allow", tone: "good", about: "Allow: it runs without a question" },
  ask: { title: "ask", tone: "info", about: "Ask: the caller's person answers first" },
  "ask-owner": { title: "ask the owner", tone: "info", about: "Ask the owner: you answer first, for every caller" },
  deny: { title: "deny", tone: "bad", about: "Deny: it is refused, and lists leave the tool out" },
};

/** A newer hub may know other actions. */
export function actionWords(action: string): { title: string; tone: Tone; about: string } {
  return Object.hasOwn(WORDS, action) ? WORDS[action as Action] : { title: action, tone: "quiet", about: action };
}

export function callersText(rule: Pick<Rule, "principal" | "group">, groups: readonly Group[]): string {
  if (rule.principal !== null) return rule.principal;
  if (rule.group === null) return "everybody";
  const members = groups.find((group) => group.name === rule.group)?.members ?? [];
  return `group ${rule.group} (${members.length === 0 ? "nobody" : members.join(", ")})`;
}

export function placeText(rule: Pick<Rule, "number" | "profile" | "line">): string {
  const file = rule.profile === null ? "config.toml" : `profile ${rule.profile}`;
  return rule.line === null ? `${file}, rule ${rule.number}` : `${file}, rule ${rule.number}, line ${rule.line}`;
}

/** What a rule matches now, and whether a person should look at it. */
export function matchesText(rule: Pick<Rule, "matches" | "unlisted">): { text: string; odd: boolean } {
  if (rule.matches > 0) return { text: rule.matches === 1 ? "1 tool" : `${rule.matches} tools`, odd: false };
  if (rule.unlisted.length > 0) return { text: `not known yet: ${rule.unlisted.join(", ")} never ran`, odd: false };
  return { text: "nothing now", odd: true };
}

/** Everybody who may call, as far as rules, groups, tokens and users name them. */
export function knownCallers(report: Pick<Report, "rules" | "groups" | "tokens" | "logins">): string[] {
  const names = [
    ...(report.logins?.users ?? []).map((user) => user.name),
    ...report.tokens.map((token) => token.principal),
    ...report.groups.flatMap((group) => group.members),
    ...report.rules.flatMap((rule) => (rule.principal === null ? [] : [rule.principal])),
  ];
  return [...new Set(names)].sort();
}

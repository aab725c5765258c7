// The inputs of a form: one for each kind of field. Names and descriptions are a server's text.

import { useId } from "preact/hooks";
import { visible } from "../format.ts";
import { type Draft, initialDraft, NOTHING_ENTERED, type Problem } from "./draft.ts";
import type { Field, Member } from "./schema.ts";

type MembersProps = {
  members: readonly Member[];
  draft: Draft;
  onDraft: (draft: Draft) => void;
  problems: readonly Problem[];
  path?: string;
};

function member(draft: Draft, name: string): Draft {
  const from = typeof draft === "object" && !Array.isArray(draft) ? draft : {};
  return Object.hasOwn(from, name) ? from[name] : undefined;
}

function withMember(draft: Draft, name: string, value: Draft): Draft {
  const from = typeof draft === "object" && !Array.isArray(draft) ? draft : {};
  return Object.fromEntries([...Object.entries(from).filter(([other]) => other !== name), [name, value]]);
}

export function Members({ members, draft, onDraft, problems, path = "" }: MembersProps) {
  return (
    <div class="fields">
      {members.map((one) => {
        const at = path === "" ? one.name : `${path}.${one.name}`;
        return (
          <MemberField
            key={one.name}
            member={one}
            draft={member(draft, one.name)}
            onDraft={(value) => onDraft(withMember(draft, one.name, value))}
            problems={problems}
            path={at}
          />
        );
      })}
    </div>
  );
}

type FieldProps = {
  id: string;
  label: string;
  field: Field;
  required: boolean;
  draft: Draft;
  onDraft: (draft: Draft) => void;
  problems: readonly Problem[];
  path: string;
  describedBy: string | undefined;
  wrong: boolean;
};

type MemberProps = Omit<MembersProps, "members"> & { member: Member; path: string };

function MemberField({ member: one, draft, onDraft, problems, path }: MemberProps) {
  const id = useId();
  const problem = problems.find((candidate) => candidate.path === path);
  const nested = one.field.kind === "object" || one.field.kind === "list";
  const name = visible(one.name);
  const about = [one.title === one.name ? "" : one.title, one.about].filter((text) => text !== "").join(". ");
  const hint = [about, one.preset === undefined ? "" : `Default: ${JSON.stringify(one.preset)}`].filter((text) => text !== "").join(" ");
  const describedBy = [hint === "" ? "" : `${id}-about`, problem ? `${id}-problem` : ""].filter((text) => text !== "").join(" ");
  const label = (
    <>
      <span class="mono">{name}</span>
      {one.required && (
        <>
          <span class="required-mark" aria-hidden="true">
            {" "}
            *
          </span>
          <span class="hidden"> required</span>
        </>
      )}
    </>
  );
  const body = (
    <>
      {hint !== "" && (
        <p class="quiet small" id={`${id}-about`}>
          {visible(hint).slice(0, 2000)}
        </p>
      )}
      <Input
        id={id}
        label={name}
        field={one.field}
        required={one.required}
        draft={draft}
        onDraft={onDraft}
        problems={problems}
        path={path}
        describedBy={describedBy === "" ? undefined : describedBy}
        wrong={problem !== undefined}
      />
      {problem && (
        <ProblemText id={`${id}-problem`} problem={problem} onDraft={onDraft} />
      )}
    </>
  );
  return nested ? (
    <fieldset class="field">
      <legend>{label}</legend>
      {body}
    </fieldset>
  ) : (
    <div class="field">
      <label for={id}>{label}</label>
      {body}
    </div>
  );
}

function ProblemText({ id, problem, onDraft }: { id: string; problem: Problem; onDraft: (draft: Draft) => void }) {
  return (
    <p class="bad-text small" id={id}>
      {problem.message}
      {problem.message === NOTHING_ENTERED && (
        <>
          {" "}
          <button type="button" class="small" onClick={() => onDraft("")}>
            Send an empty text
          </button>
        </>
      )}
    </p>
  );
}

function Input(props: FieldProps) {
  const { id, field, draft, onDraft, describedBy, required, wrong } = props;
  const text = typeof draft === "string" ? draft : "";
  const common = { id, "aria-describedby": describedBy, "aria-required": required, "aria-invalid": wrong };
  switch (field.kind) {
    case "text":
      return field.long ? (
        <textarea {...common} rows={Math.min(14, Math.max(3, text.split("\n").length))} value={text} onInput={(event) => onDraft(event.currentTarget.value)} />
      ) : (
        <input {...common} type="text" autocomplete="off" spellcheck={false} value={text} onInput={(event) => onDraft(event.currentTarget.value)} />
      );
    case "number":
      // `type="number"` would drop what it cannot read; here it stays and is explained.
      return <input {...common} type="text" inputMode="decimal" autocomplete="off" value={text} onInput={(event) => onDraft(event.currentTarget.value)} />;
    case "boolean":
      return (
        <select
          {...common}
          value={typeof draft === "boolean" ? String(draft) : ""}
          onChange={(event) => onDraft(event.currentTarget.value === "" ? undefined : event.currentTarget.value === "true")}
        >
          <option value="">{required ? "choose" : "not given"}</option>
          <option value="true">yes</option>
          <option value="false">no</option>
        </select>
      );
    case "choice":
      return (
        <select {...common} value={text} onChange={(event) => onDraft(event.currentTarget.value)}>
          <option value="">{required ? "choose" : "not given"}</option>
          {field.values.map((value) => {
            const json = JSON.stringify(value);
            return (
              <option key={json} value={json}>
                {visible(typeof value === "string" ? value : json)}
              </option>
            );
          })}
        </select>
      );
    case "json":
      return <textarea {...common} rows={4} placeholder="JSON" spellcheck={false} value={text} onInput={(event) => onDraft(event.currentTarget.value)} />;
    case "list":
      return <List {...props} item={field.item} />;
    case "object":
      return <Members members={field.members} draft={draft} onDraft={onDraft} problems={props.problems} path={props.path} />;
  }
}

function List(props: FieldProps & { item: Field }) {
  const { label, item, draft, onDraft, problems, path, id } = props;
  const items = Array.isArray(draft) ? draft : [];
  return (
    <div class="stack">
      {items.map((one, index) => {
        const at = `${path}[${index}]`;
        const itemId = `${id}-${index}`;
        const problem = problems.find((candidate) => candidate.path === at);
        return (
          <div class="list-item" key={index}>
            <label class="quiet small" for={itemId}>
              {label} {index + 1}
            </label>
            <Input
              id={itemId}
              label={`${label} ${index + 1}`}
              field={item}
              required
              draft={one}
              onDraft={(value) => onDraft(items.map((old, place) => (place === index ? value : old)))}
              problems={problems}
              path={at}
              describedBy={problem ? `${itemId}-problem` : undefined}
              wrong={problem !== undefined}
            />
            <button type="button" class="small" aria-label={`Remove ${label} ${index + 1}`} onClick={() => onDraft(items.filter((_, place) => place !== index))}>
              Remove
            </button>
            {problem && (
              <ProblemText
                id={`${itemId}-problem`}
                problem={problem}
                onDraft={(value) => onDraft(items.map((old, place) => (place === index ? value : old)))}
              />
            )}
          </div>
        );
      })}
      <div>
        <button type="button" class="small" onClick={() => onDraft([...items, item.kind === "object" ? initialDraft(item.members) : undefined])}>
          Add to {label}
        </button>
      </div>
    </div>
  );
}

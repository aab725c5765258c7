// One of a few values, as buttons beside each other; screen readers hear radio buttons.

import { useId } from "preact/hooks";
import "./choice.css";

type Props<Value extends string> = {
  label: string;
  choices: readonly { value: Value; title: string }[];
  chosen: Value;
  onChoose: (value: Value) => void;
};

export function Choice<Value extends string>({ label, choices, chosen, onChoose }: Props<Value>) {
  const group = useId();
  return (
    <fieldset class="choice">
      <legend class="hidden">{label}</legend>
      {choices.map(({ value, title }) => (
        <label key={value} class={value === chosen ? "chosen" : undefined}>
          <input
            type="radio"
            name={group}
            value={value}
            checked={value === chosen}
            onChange={() => onChoose(value)}
          />
          {title}
        </label>
      ))}
    </fieldset>
  );
}

// One line of the audit log with every field it has, in a dialog.

import type { AuditLine } from "../../types.ts";
import { Dialog, Facts, Foreign } from "../../ui/index.ts";

export function LineDetails({ line, onClose }: { line: AuditLine; onClose: () => void }) {
  // A newer hub may write fields that this page does not know, so all of them are shown.
  const fields = Object.entries(line).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return [name, <Foreign key={name} text={text} max={2_000} />] as const;
  });
  return (
    <Dialog title="A line of the audit log" onClose={onClose} wide>
      <Facts facts={fields} />
    </Dialog>
  );
}

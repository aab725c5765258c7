// The words below the time axis of a plot, in the reader's time zone. Pure.

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAY = 86_400;

/** `14:30`, or `3 Nov` for midnight and for marks that are days apart; both in seconds. */
export function axisTime(at: number, step: number): string {
  const date = new Date(at * 1000);
  const [hours, minutes] = [date.getHours(), date.getMinutes()];
  if (DAY <= step || (hours === 0 && minutes === 0)) return `${date.getDate()} ${MONTHS[date.getMonth()]}`;
  return `${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
}

/** When a point begins, in full: `3 Nov 14:30`, or `3 Nov` for a point that stands for a day. */
export function spanText(at: number, width: number): string {
  const date = new Date(at * 1000);
  const day = `${date.getDate()} ${MONTHS[date.getMonth()]}`;
  if (DAY <= width) return day;
  return `${day} ${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
}

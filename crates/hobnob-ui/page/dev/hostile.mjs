// Texts as hostile servers write them, for every field that a server, a client or a model fills.

export const SCRIPT = "<script>window.__xss=1</script><img src=x onerror=\"window.__xss=1\">";
export const BIDI = "invoice\u202efdp.exe";
export const LONG = "a".repeat(400);
export const LINK = "javascript:window.__xss=1";
export const TEMPLATE = "{{constructor.constructor('window.__xss=1')()}}${window.__xss=1}";

export const HOSTILE = [SCRIPT, BIDI, LONG, LINK, TEMPLATE, "\u0000\u0007\u001b[31mred", "-->]]></style></title><svg/onload=window.__xss=1>"];

export function hostile(index) {
  return HOSTILE[index % HOSTILE.length];
}

// The icons of the navigation: strokes on a grid of 20.

const PATHS = {
  now: "M3 10h3l2.5-6 3.5 12 2.5-6H17",
  waiting: "M4 15V9a6 6 0 0 1 12 0v6M2.5 15h15M8.5 18h3",
  servers: "M3 4h14v5H3zM3 11h14v5H3zM6 6.5h.01M6 13.5h.01",
  tools: "M12.5 3.5a4 4 0 0 0-4.300 5.600L3 14.300 5.700 17l5.200-5.200a4 4 0 0 0 5.600-4.300l-2.600 2.600-2.5-.5-.5-2.5z",
  usage: "M4 17V10M8 17V5M12 17v-6M16 17V3",
  memory: "M5 3h10v14l-5-3.5L5 17z",
  tasks: "M3.5 5.5l1.5 1.5 2.5-3M10 5.5h7M3.5 12.5l1.5 1.5 2.5-3M10 12.5h7",
  trees: "M10 3v5M10 8l-5 4M10 8l5 4M5 12v4M15 12v4",
  audit: "M5 2.5h7l3 3v12H5zM7.5 9h5M7.5 12h5M7.5 15h3",
  rules: "M10 2.5l6.500 2.500v4.500c0 4-2.800 6.800-6.500 8-3.700-1.200-6.500-4-6.500-8V5zM7 10l2.200 2.200 4-4.200",
  health: "M10 17S3 12.5 3 7.5A3.5 3.5 0 0 1 10 6a3.5 3.5 0 0 1 7 1.5C17 12.5 10 17 10 17z",
  recorder: "M10 3.500a6.500 6.500 0 1 0 0 13a6.500 6.500 0 1 0 0-13zM10 8a2 2 0 1 0 0 4a2 2 0 1 0 0-4z",
  theme: "M10 3a7 7 0 1 0 0 14zM10 3a7 7 0 0 1 0 14",
  leave: "M8 3H4v14h4M12 6l4 4-4 4M16 10H8",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round">
      <path d={PATHS[name]} />
    </svg>
  );
}

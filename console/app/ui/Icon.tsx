/** Line icons on a 20 px grid, drawn here so that nothing is loaded for them. */
const paths = {
  home: 'M3 9.5 10 4l7 5.5V16a1 1 0 0 1-1 1h-4v-5H8v5H4a1 1 0 0 1-1-1z',
  chat: 'M4 4h12a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H9l-4 3v-3H4a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1z',
  order: 'M4 4h2l1.5 8.5h8L17 7H6.5M8 16.5h.01M14.5 16.5h.01',
  key: 'M12.5 3.5a4 4 0 1 1-3.2 6.4L4 15.2V17h3v-2h2v-2l1.2-1.2M13.5 7h.01',
  webhook: 'M7 13a3 3 0 1 1-3-3M10 7.5 6.5 13H14M10 7a3 3 0 1 1 2.6-4.5M10 7l3 5a3 3 0 1 1-1 4',
  delivery: 'M3 10h10M9 5.5 13.5 10 9 14.5M17 4v12',
  log: 'M4 5h12M4 9h12M4 13h8M4 17h5',
  event: 'M11 3 5 11.5h4L8.5 17 15 8.5h-4z',
  people:
    'M7.5 9.5a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5zM2.5 16.5c.4-3 2.4-4.5 5-4.5s4.600 1.500 5 4.500M13 4.200a2.750 2.750 0 0 1 0 5.100M14.500 12.300c1.700.500 2.700 1.900 3 4.200',
  settings:
    'M10 12.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM10 3v2M10 15v2M3 10h2M15 10h2M5 5l1.500 1.500M13.500 13.500 15 15M15 5l-1.500 1.500M6.500 13.500 5 15',
  agent:
    'M5 8h10a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V9a1 1 0 0 1 1-1zM10 8V4.500M8 4h4M7.750 11.500v1M12.250 11.500v1M1.500 11v2.500M18.500 11v2.500',
  approval: 'M7 4.500H5V17h10V4.500h-2M7.500 3h5v3h-5zM7.500 11.500l2 2 3-4',
  audit: 'M10 3 4 5.500V10c0 3.500 2.500 6 6 7 3.500-1 6-3.500 6-7V5.500zM7.500 10l2 2 3.500-4',
  more: 'M5 10h.01M10 10h.01M15 10h.01',
  search: 'M9 14.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11zM13 13l4 4',
  copy: 'M7 7V4a1 1 0 0 1 1-1h8a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1h-3M4 7h8a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1z',
  check: 'M4 10.500 8 14.500 16 6',
  close: 'M5 5l10 10M15 5 5 15',
  plus: 'M10 4v12M4 10h12',
  chevron: 'M7.500 5 12.500 10l-5 5',
  switch: 'M6 8l4-4 4 4M6 12l4 4 4-4',
  sun: 'M10 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM10 2.500v1.500M10 16v1.500M2.500 10H4M16 10h1.500M4.700 4.700l1 1M14.300 14.300l1 1M15.300 4.700l-1 1M5.700 14.300l-1 1',
  send: 'M3 10 17 4l-5 13-3-5zM9 12l8-8',
  clock: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4l2.500 2',
  phone: 'M6.500 3h7a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM9.500 14.500h1',
  back: 'M12.500 5 7.500 10l5 5',
  down: 'M10 4v12M5 11l5 5 5-5',
  filter: 'M3 5h14l-5.500 6.500V16l-3 1.500v-6z',
  reply: 'M8 5 3.500 9.500 8 14M4 9.500h7a5 5 0 0 1 5 5V16',
  file: 'M6 3h5l4 4v10H6zM11 3v4h4',
  place:
    'M10 17s5-4.800 5-8.500a5 5 0 0 0-10 0C5 12.200 10 17 10 17zM10 10.200a1.700 1.700 0 1 0 0-3.400 1.700 1.700 0 0 0 0 3.400z',
  ticks: 'M2 10.500 5.500 14 12 6.500M9.500 13l1 1L17.500 6.500',
  template: 'M4 4h12v5H4zM4 12h7v4H4zM14 12h2v4h-2z',
  code: 'M7 6 3 10l4 4M13 6l4 4-4 4M11.5 4l-3 12',
  warning: 'M10 4 2.500 16.500h15zM10 8.500v4M10 14.500h.01',
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 20 20"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.6"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    style={{ flex: 'none' }}
  >
    <path d={paths[name]} />
  </svg>
)

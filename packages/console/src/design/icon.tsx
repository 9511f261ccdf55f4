/** The few pictograms that the console uses: 16-unit outlines that take the colour of the text around them. */
const PATHS = {
  overview: 'M2 13V8m4 5V3m4 10V6m4 7V9',
  sites: 'M2 4h12v8H2zM2 7h12M4.5 5.5h.01',
  traffic: 'M2 5h10l-2.5-2.5M14 11H4l2.5 2.5',
  firewall: 'M8 1.8 13.5 4v4c0 3.2-2.3 5.2-5.5 6.2C4.8 13.2 2.5 11.2 2.5 8V4z',
  researchers:
    'M6 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.500c.3-2.6 2-4 4.5-4s4.2 1.4 4.5 4M10.5 3.300a2.3 2.3 0 0 1 0 4.400M12 9.800c1.5.5 2.3 1.8 2.5 3.7',
  projects: 'M2 4.500h4l1.5 1.500H14v7.500H2z',
  organization: 'M3 14V3h6v11M9 6.500h4V14M1.5 14h13M5 6h2M5 9h2',
  gateways: 'M3 14V4.500L8 2l5 2.500V14M6 14V9.500h4V14M1.5 14h13M6 6.500h4',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7 14 14',
  stop: 'M5.2 1.800h5.600l3.4 3.400v5.600l-3.4 3.400H5.200l-3.4-3.400V5.200zM5.5 8h5',
  sun: 'M8 10.800a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.600zM8 1.500v1.300M8 13.200v1.300M1.5 8h1.300M13.2 8h1.300M3.4 3.400l.9.9M11.7 11.700l.9.9M3.4 12.600l.9-.9M11.7 4.300l.9-.9',
  moon: 'M13.5 9.500A5.8 5.8 0 0 1 6.5 2.500a5.8 5.8 0 1 0 7 7z',
  auto: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 2v12M10.5 3.800v8.4',
  account: 'M8 8a2.8 2.8 0 1 0 0-5.600A2.8 2.8 0 0 0 8 8zM2.8 14c.4-3 2.3-4.5 5.2-4.500s4.8 1.5 5.2 4.5',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.500V8l2.3 1.7',
  copy: 'M5.5 5.500h8v8h-8zM10.5 5.500v-3h-8v8h3',
  check: 'M3 8.5 6.5 12 13 4.5',
  close: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  play: 'M5 3v10l8-5z',
  pause: 'M5 3v10M11 3v10',
  download: 'M8 2.500v7.500M4.8 7.2 8 10.400l3.2-3.200M2.5 13.500h11',
  key: 'M5 11.500a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 8.500h6M12 8.500v2.5',
  eye: 'M1.5 8C3 5.2 5.2 3.8 8 3.800S13 5.2 14.5 8C13 10.8 10.8 12.2 8 12.200S3 10.8 1.5 8zM8 9.800a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.600z',
  menu: 'M2 4.500h12M2 8h12M2 11.500h12',
  up: 'M3.5 10 8 5.500l4.5 4.5',
  down: 'M3.5 6 8 10.5 12.5 6',
  right: 'M6 3.5 10.5 8 6 12.5',
  edit: 'M3 13l.6-2.800L10.8 3 13 5.200l-7.2 7.200z',
  trash: 'M3 4.500h10M6.5 4.500V3h3v1.500M4.5 4.500l.6 9h5.800l.6-9M6.8 7v4M9.2 7v4',
  warning: 'M8 2.5 14.5 13.500h-13zM8 6.500v3.500M8 11.800h.01',
  link: 'M6.5 9.500l3-3M7 4.500l1.5-1.500a3 3 0 0 1 4.3 4.300L11.3 8.800M9 11.500l-1.5 1.500a3 3 0 0 1-4.3-4.300l1.5-1.5',
  undo: 'M5.5 3.500 2.500 6.500l3 3M3 6.500h6.200a3.600 3.600 0 0 1 0 7.200H6',
  filter: 'M2 3.500h12L9.5 8.800V13l-3-1.500V8.800z',
} as const
export type IconName = keyof typeof PATHS

/** Decorative: the text beside it says the same in words. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}

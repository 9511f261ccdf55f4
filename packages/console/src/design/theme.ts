/** The console's look: a calm neutral ground, one blue-green accent, dense text, and colours that carry meaning only. */
import { createTheme, type MantineColorsTuple } from '@mantine/core'
import { buttonRoot } from './button-root.tsx'
import dialog from './dialog/dialog.module.css'

/** Ten shades of a colour, the lightest first. */
// A list that is split has a length that the compiler does not know.
const shades = (hex: string) => hex.split(' ') as unknown as MantineColorsTuple

const harbor = shades('#e8f5f8 #d2e9ef #a3d3df #74bccd #4ba6bb #2b92a9 #158299 #0b728a #00627b #004f63')
const slate = shades('#f6f8f9 #edf0f2 #dfe4e8 #cbd3d9 #a9b5be #84929e #667582 #4d5b67 #36424d #232d36')
const night = shades('#d5dde3 #b9c4cc #98a6b0 #6f7f8b #4b5964 #34404a #27313a #1c252c #151c22 #0f151a')

const CLOSE = { 'aria-label': 'Close' }

export const theme = createTheme({
  primaryColor: 'harbor',
  primaryShade: { light: 8, dark: 7 },
  colors: { harbor, gray: slate, dark: night },
  fontFamily:
    "'Inter Variable', system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
  fontFamilyMonospace:
    "ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '620',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.3' },
      h2: { fontSize: '0.9375rem', lineHeight: '1.35' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  defaultRadius: 'sm',
  radius: { sm: '5px', md: '8px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'xs', fw: 550, renderRoot: buttonRoot } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    TextInput: { defaultProps: { size: 'sm' } },
    Textarea: { defaultProps: { size: 'sm' } },
    NumberInput: { defaultProps: { size: 'sm' } },
    NativeSelect: { defaultProps: { size: 'sm' } },
    // A menu has items and nothing else to focus.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    // Their heads are `<header>` elements, which would count as further banners of the page.
    Modal: {
      classNames: dialog,
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        closeButtonProps: CLOSE,
        attributes: { header: { role: 'presentation' } },
      },
    },
    Drawer: {
      classNames: dialog,
      defaultProps: { closeButtonProps: CLOSE, attributes: { header: { role: 'presentation' } } },
    },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
  },
})

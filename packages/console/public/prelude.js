// Runs before anything else, so that the page never flashes the wrong theme and nothing trips the content security policy.
;(() => {
  const scheme = localStorage.getItem('sallyport.color-scheme') ?? 'auto'
  const dark = scheme === 'dark' || (scheme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.mantineColorScheme = dark ? 'dark' : 'light'

  if (localStorage.getItem('sallyport.density') === 'compact')
    document.documentElement.dataset.density = 'compact'

  // Schemas would otherwise probe for eval, which the policy forbids and reports.
  globalThis.__zod_globalConfig = { jitless: true }

  // The style element that locks scrolling behind a dialog asks for its nonce by this name.
  globalThis.__webpack_nonce__ = document.querySelector('meta[name="csp-nonce"]')?.nonce ?? ''
})()

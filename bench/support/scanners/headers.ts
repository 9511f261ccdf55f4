/** Headers as browsers send them with a navigation or with a script's call, which scanners copy. */
export const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const BRANDS = '"Not)A;Brand";v="8", "Chromium";v="138", "Google Chrome";v="138"'

/** All that Chrome sends when an address is typed in. */
export const CHROME_NAVIGATION: readonly string[] = [
  ...['sec-ch-ua', BRANDS, 'sec-ch-ua-mobile', '?0', 'sec-ch-ua-platform', '"Linux"'],
  ...['Upgrade-Insecure-Requests', '1', 'User-Agent', CHROME],
  ...['Accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'],
  ...['Sec-Fetch-Site', 'none', 'Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-User', '?1'],
  ...['Sec-Fetch-Dest', 'document', 'Accept-Encoding', 'identity', 'Accept-Language', 'en-GB,en;q=0.9'],
]

/** All that Chrome sends with `fetch` of a page of the same site. */
export const CHROME_CALL: readonly string[] = [
  ...['sec-ch-ua-platform', '"Linux"', 'User-Agent', CHROME, 'sec-ch-ua', BRANDS, 'sec-ch-ua-mobile', '?0'],
  ...['Accept', 'application/json', 'Sec-Fetch-Site', 'same-origin', 'Sec-Fetch-Mode', 'cors'],
  ...['Sec-Fetch-Dest', 'empty', 'Accept-Encoding', 'identity', 'Accept-Language', 'en-GB,en;q=0.9'],
]

/** A browser's user agent and what an HTTP library adds to it. */
export const FIREFOX_BY_LIBRARY: readonly string[] = [
  ...['User-Agent', FIREFOX, 'Accept-Encoding', 'identity', 'Accept', '*/*'],
]

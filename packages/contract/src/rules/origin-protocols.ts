/**
 * What a gateway speaks with the origin of a site.
 *
 * - `http1`: HTTP/1.1;
 * - `http2`: HTTP/2, over TLS as ALPN settles it, and without TLS by prior knowledge (h2c; RFC 9113, section 3.3);
 * - `auto`: over TLS what ALPN settles, without it HTTP/1.1.
 */
export const ORIGIN_PROTOCOLS = ['http1', 'http2', 'auto'] as const
export type OriginProtocol = (typeof ORIGIN_PROTOCOLS)[number]

/** Whether `Accept-Encoding` names gzip, or anything, and not with the weight 0 (RFC 9110, section 12.5.3). */
export function takesGzip(accepted: string | string[] | undefined): boolean {
  const weights = new Map(
    String(accepted ?? '')
      .toLowerCase()
      .split(',')
      .map((one) => {
        const [name = '', ...parameters] = one.split(';').map((part) => part.trim())
        const weight = parameters.find((part) => part.startsWith('q='))?.slice(2) ?? '1'
        return [name, Number(weight) > 0] as const
      }),
  )
  return weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? false
}

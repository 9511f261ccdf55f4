/** A trend the size of a word. Decorative: the numbers are shown beside it. */
export function Sparkline({
  values,
  width = 96,
  height = 22,
}: {
  readonly values: readonly number[]
  readonly width?: number
  readonly height?: number
}) {
  const top = Math.max(...values, 1)
  const step = width / Math.max(values.length - 1, 1)
  const points = values.map(
    (value, index) =>
      `${(index * step).toFixed(1)},${(height - 2 - (value / top) * (height - 4)).toFixed(1)}`,
  )
  return (
    <svg aria-hidden="true" width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      <polyline points={points.join(' ')} fill="none" stroke="var(--outcome-origin)" strokeWidth="1.5" />
    </svg>
  )
}

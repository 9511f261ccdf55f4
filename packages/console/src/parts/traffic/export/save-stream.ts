/** Saves a response as a file, and reports how many bytes have arrived. Answers the whole size. */
export async function saveStream(
  response: Response,
  name: string,
  onProgress: (bytes: number) => void,
): Promise<number> {
  if (!response.body) return 0
  let bytes = 0
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length
        onProgress(bytes)
        controller.enqueue(chunk)
      },
    }),
  )
  // The browser keeps a large blob on disk, not in memory.
  const blob = await new Response(counted).blob()
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
  return bytes
}

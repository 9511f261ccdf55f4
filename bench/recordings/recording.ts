/**
 * Recordings: requests of real applications as they were sent, one line of JSON each, one file an application.
 * A body is base64, cut after `BODY_BYTES_MAX`.
 */
import { createReadStream, createWriteStream, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'

export const BODY_BYTES_MAX = 1024 * 1024
const ENDING = '.ndjson'

/** A request that an application or a library of telemetry sent. */
export interface RecordedRequest {
  readonly application: string
  /** Whether the person who caused it was working on code, or on prose with code in it. */
  readonly carriesCode: boolean
  readonly method: string
  /** In origin form, byte for byte. */
  readonly target: string
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  /** False where the body was longer than `BODY_BYTES_MAX`. */
  readonly complete: boolean
}

/** Appends requests to the files of their applications. */
export interface RecordingWriter {
  write(request: RecordedRequest): void
  /** Requests written so far for an application. */
  count(application: string): number
  close(): Promise<void>
}

/** Opens a recording in a folder. Files of applications that are recorded anew are overwritten. */
export function openRecording(folder: string): RecordingWriter {
  const streams = new Map<string, ReturnType<typeof createWriteStream>>()
  const counts = new Map<string, number>()
  const streamOf = (application: string) => {
    const open = streams.get(application) ?? createWriteStream(join(folder, application + ENDING))
    streams.set(application, open)
    return open
  }
  return {
    write(request) {
      const { application } = request
      streamOf(application).write(
        `${JSON.stringify({ ...request, body: request.body.toString('base64') })}\n`,
      )
      counts.set(application, (counts.get(application) ?? 0) + 1)
    },
    count: (application) => counts.get(application) ?? 0,
    close: async () => {
      for (const stream of streams.values()) stream.end()
      await Promise.all([...streams.values()].map((stream) => finished(stream)))
    },
  }
}

/** The applications that a folder has recordings of, sorted. */
export const recordedApplications = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ENDING))
    .map((name) => basename(name, ENDING))
    .sort()

/** Reads the recording of an application, in the order in which requests came. */
export async function* readRecording(folder: string, application: string): AsyncGenerator<RecordedRequest> {
  const lines = createInterface({ input: createReadStream(join(folder, application + ENDING)) })
  for await (const line of lines) {
    const read: Omit<RecordedRequest, 'body'> & { readonly body: string } = JSON.parse(line)
    yield { ...read, body: Buffer.from(read.body, 'base64') }
  }
}

/** What a change would have done to the last seven days, before it is made. It keeps nobody from making it. */
import type { ChangePreview, PreviewedChange } from '@sallyport/contract'
import { Link } from '@tanstack/react-router'
import { useChangePreview } from '../../api/traffic/preview-queries.ts'
import { Callout } from '../../design/feedback/callout.tsx'
import { useTime } from '../../design/time/time.tsx'
import classes from './preview-of-change.module.css'
import { GAP_WORDS, previewSentence, researcherWords } from './preview-words.ts'
import { texts } from './texts.ts'

const SAMPLES_SHOWN = 8

export function PreviewOfChange({ change }: { readonly change: PreviewedChange | null }) {
  const preview = useChangePreview(change)
  if (change === null) return null
  return (
    <div className={classes.room}>
      {preview.data ? (
        <Found preview={preview.data} />
      ) : (
        <Callout role="status">
          <span className="soft">{preview.error ? texts.theEffectOn : texts.checkingTheLast7Days}</span>
        </Callout>
      )}
    </div>
  )
}

function Found({ preview }: { readonly preview: ChangePreview }) {
  const time = useTime()
  const { refused, gaps, samples, researchers } = preview
  return (
    <Callout role="status" {...(refused > 0 && { tone: 'warn' as const })}>
      <div>{previewSentence(preview, time)}</div>
      {researchers > 0 ? <div className="soft">{researcherWords(preview)}</div> : null}
      {gaps.length > 0 ? (
        <div className="soft">{texts.itMayBeMore(gaps.map((gap) => GAP_WORDS[gap]).join('; '))}</div>
      ) : null}
      {samples.length > 0 ? (
        <details>
          <summary>
            {samples.length === 1
              ? texts.theRequest
              : texts.theNewest(Math.min(samples.length, SAMPLES_SHOWN))}
          </summary>
          <ul className={classes.samples}>
            {samples.slice(0, SAMPLES_SHOWN).map((request) => (
              <li key={request.id}>
                <time className="soft">{time.full(request.time)}</time>
                <Link
                  to="/traffic"
                  search={{ request: request.id }}
                  target="_blank"
                  className="clip mono"
                  aria-label={texts.openTheRequest(request.id)}
                >
                  <bdi>
                    {request.method} {request.target}
                  </bdi>
                </Link>
                <span className="soft">{request.status || '–'}</span>
              </li>
            ))}
          </ul>
        </details>
      ) : null}
    </Callout>
  )
}

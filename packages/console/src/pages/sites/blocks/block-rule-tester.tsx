/**
 * Would this request pass, and why? Judged here by the same code as at the gate, with the rules as they stand in the
 * editor, so that a rule can be tried before it is saved.
 */

import { NativeSelect } from '@mantine/core'
import type { BlockRule, PathConvention } from '@sallyport/contract'
import { BlockMatcher, interpretationsOf, isAmbiguous } from '@sallyport/policy'
import { useMemo, useState } from 'react'
import { FORWARDING_SETTINGS, useSiteSettings } from '../../../api/queries/site-settings-queries.ts'
import { serverNow } from '../../../api/server-clock.ts'
import { Callout } from '../../../design/feedback/callout.tsx'
import { TextField } from '../../../design/form/fields.tsx'
import { Stack } from '../../../design/form/form.tsx'
import { Panel } from '../../../design/page/panel.tsx'
import { Status } from '../../../design/table/status.tsx'
import classes from './blocks.module.css'
import { texts } from './texts.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const READINGS_SHOWN = 12

const NO_CONVENTIONS: readonly PathConvention[] = []

export function BlockRuleTester(props: { readonly siteId: string; readonly rules: readonly BlockRule[] }) {
  const { rules, siteId } = props
  const { data: forwarding } = useSiteSettings(siteId, FORWARDING_SETTINGS)
  const conventions = forwarding?.pathConventions ?? NO_CONVENTIONS
  const [method, setMethod] = useState('GET')
  const [target, setTarget] = useState('/')
  const matcher = useMemo(() => new BlockMatcher(rules, conventions), [rules, conventions])
  const match = useMemo(() => matcher.match([method], target, serverNow()), [matcher, method, target])
  const readings = useMemo(() => interpretationsOf(target, conventions).list, [target, conventions])
  return (
    <Panel title={texts.testARequest} description={texts.testARequestHint}>
      <Stack>
        <div className={classes.tester}>
          <NativeSelect
            aria-label={texts.methodOfTheTestedRequest}
            value={method}
            onChange={(event) => setMethod(event.currentTarget.value)}
            data={METHODS}
          />
          <TextField
            aria-label={texts.targetOfTheTestedRequest}
            className="mono"
            spellCheck={false}
            value={target}
            onText={setTarget}
          />
        </div>
        <Callout tone={match ? 'bad' : 'good'} role="status">
          {match ? (
            <>
              <Status tone="bad">{texts.refusedWith(match.rule.status)}</Status>
              <span>
                {texts.byTheRule(
                  <span className="mono">{match.rule.pathPrefix}</span>,
                  match.rule.note ? ` (${match.rule.note})` : '',
                  match.reading,
                )}
              </span>
            </>
          ) : (
            <>
              <Status tone="good">{texts.passesTheBlockRules}</Status>
              <span>{texts.noReadingOf}</span>
            </>
          )}
          {isAmbiguous(target) ? <span className="soft">{texts.parsersMayDisagreeAbout}</span> : null}
        </Callout>
        {readings.length > 1 ? (
          <details>
            <summary>{texts.waysToRead(readings.length)}</summary>
            <ul className={classes.readings}>
              {readings.slice(0, READINGS_SHOWN).map((reading) => (
                <li key={reading.text}>
                  <span className="mono">{reading.text}</span> <span className="soft">{reading.name}</span>
                </li>
              ))}
            </ul>
          </details>
        ) : null}
      </Stack>
    </Panel>
  )
}

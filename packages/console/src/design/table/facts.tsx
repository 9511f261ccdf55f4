import { Fragment, type ReactNode } from 'react'
import classes from './table.module.css'

/** Names and their values, one a line; lines without a value are left out. */
export function Facts({ of }: { readonly of: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={classes.facts}>
      {of.map(([name, value]) =>
        value === '' || value === null || value === undefined ? null : (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ),
      )}
    </dl>
  )
}

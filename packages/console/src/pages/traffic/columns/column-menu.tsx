import { ActionIcon, Button, Checkbox } from '@mantine/core'
import { DialogButton } from '../../../design/dialog/dialog-button.tsx'
import { Icon } from '../../../design/icon.tsx'
import { movedColumn, WIDTH_MAX, WIDTH_MIN } from './column-choice.ts'
import classes from './columns.module.css'
import { columnOf } from './request-columns.tsx'
import { texts } from './texts.ts'
import type { RequestColumns } from './use-request-columns.ts'

const STEP_PIXELS = 24

/** Chooses columns, their order and their widths. */
export function ColumnMenu({ columns }: { readonly columns: RequestColumns }) {
  const { table, choice, change, reset } = columns
  const visible = table.getVisibleLeafColumns().length
  const resize = (id: string, width: number) =>
    change({
      widths: { ...choice.widths, [id]: Math.min(Math.max(width, WIDTH_MIN), WIDTH_MAX) },
    })
  return (
    <DialogButton label={texts.columns} variant="default" title={texts.columns}>
      {() => (
        <>
          <ul className={classes.menu}>
            {choice.order.map((id, index) => {
              const column = table.getColumn(id)
              const head = columnOf(id)?.head ?? id
              if (!column) return null
              return (
                <li key={id}>
                  <Checkbox
                    size="xs"
                    label={head}
                    checked={column.getIsVisible()}
                    // A table without a column could not be given one back by who does not see what it is.
                    disabled={visible === 1 && column.getIsVisible()}
                    onChange={() => column.toggleVisibility()}
                  />
                  <ActionIcon
                    size={26}
                    aria-label={texts.narrower(head)}
                    onClick={() => resize(id, column.getSize() - STEP_PIXELS)}
                  >
                    <Icon name="minus" size={12} />
                  </ActionIcon>
                  <ActionIcon
                    size={26}
                    aria-label={texts.wider(head)}
                    onClick={() => resize(id, column.getSize() + STEP_PIXELS)}
                  >
                    <Icon name="plus" size={12} />
                  </ActionIcon>
                  <ActionIcon
                    size={26}
                    aria-label={texts.moveUp(head)}
                    disabled={index === 0}
                    onClick={() => change({ order: movedColumn(choice.order, id, -1) })}
                  >
                    <Icon name="up" size={12} />
                  </ActionIcon>
                  <ActionIcon
                    size={26}
                    aria-label={texts.moveDown(head)}
                    disabled={index === choice.order.length - 1}
                    onClick={() => change({ order: movedColumn(choice.order, id, 1) })}
                  >
                    <Icon name="down" size={12} />
                  </ActionIcon>
                </li>
              )
            })}
          </ul>
          <Button variant="subtle" onClick={reset}>
            {texts.resetToDefault}
          </Button>
        </>
      )}
    </DialogButton>
  )
}

/** The button that asks which format to export, and the formats. */
import { Button, Menu } from '@mantine/core'
import { Icon } from '../../../design/icon.tsx'
import { texts } from './texts.ts'

export interface OfferedFormat {
  readonly format: string
  readonly label: string
  /** What it is good for. */
  readonly note: string
}

export function ExportChoice<Format extends OfferedFormat>({
  formats,
  onChoose,
}: {
  readonly formats: readonly Format[]
  readonly onChoose: (format: Format) => Promise<void>
}) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" size={14} />}>
          {texts.export}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {formats.map((one) => (
          <Menu.Item key={one.format} onClick={() => void onChoose(one)}>
            {one.label} <span className="soft">{one.note}</span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

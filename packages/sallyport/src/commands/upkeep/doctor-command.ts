/** `sallyport doctor`: what stands in the way of serving here, and what to do about it. */
import { Argument, type Command } from 'commander'
import { PARTS, type Part } from '../../roles/loopback-url.ts'
import { json, type ReadSettings } from '../acting.ts'
import { type OutputOptions, print } from '../print.ts'

/** Adds `doctor` to the program. */
export function addDoctorCommand(program: Command, readSettings: ReadSettings): void {
  json(program.command('doctor'))
    .addArgument(
      new Argument(
        '[parts...]',
        'which of them run here (default: what the settings and the data directory say)',
      ).choices(PARTS),
    )
    .description(
      'check databases, ports, certificates, clocks, disk and the way to the control plane, and say what to do; exits with 1 where something fails',
    )
    .action(async (parts: readonly Part[], options: OutputOptions) => {
      const [settings, { examine }] = await Promise.all([readSettings(), import('../../doctor/examine.ts')])
      const findings = await examine(settings, parts)
      print(findings, options)
      if (findings.some(({ state }) => state === 'failed')) process.exitCode = 1
    })
}

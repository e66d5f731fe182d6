import type { AppliedManifest, Finding, Issue, Warning } from '@habeas/core'
import type { Terminal } from './terminal.js'
import { giveLine, say } from './terminal.js'

/** Something that a person has to mend or to decide. */
export interface Problem {
  /** `manifest`: a file cannot be read as what it says. The others are named after what has found them. */
  readonly of: 'manifest' | 'coverage' | 'question' | 'finding' | 'policy'
  /** What it is about: a place in a file, or an address in a dataset. */
  readonly place: string
  readonly message: string
  /** How the place leads to a person. */
  readonly path?: string
  /** The command that helps. */
  readonly next?: 'draft' | 'answer'
  readonly file?: string
  readonly line?: number
  readonly column?: number
}

/** What is wrong with the files, each with its place. */
export function manifestProblems(applied: AppliedManifest | undefined): Problem[] {
  return Object.entries(applied ?? {}).flatMap(([kind, { failed }]) =>
    failed.flatMap(({ message, errors, data }) => {
      const place = `${kind} '${data.service_key ?? '?'}'`
      if (!errors) return [{ of: 'manifest', place, message }] satisfies Problem[]
      return errors.map((issue) => problemOf(issue, place))
    }),
  )
}

/** Members that nobody reads, such as misspelt ones. Older names are read, and stay out of this. */
export function ignoredMembers(applied: AppliedManifest | undefined): Problem[] {
  return Object.entries(applied ?? {}).flatMap(([kind, { succeeded }]) =>
    succeeded.flatMap(({ service_key: key, warnings }) =>
      warnings
        .filter(({ msg }) => msg.startsWith('is not known here'))
        .map((warning) => problemOf(warning, `${kind} '${key}'`)),
    ),
  )
}

/** The findings of what else the files describe, such as keys that do not exist. */
export function documentFindings(applied: AppliedManifest | undefined): Problem[] {
  const { dataset: _, ...others } = applied ?? {}
  const findings = Object.values(others).flatMap(({ succeeded }) => succeeded.flatMap((each) => each.findings))
  return findings
    .filter(({ severity }) => severity !== 'info')
    .map(({ loc, message }) => ({ of: 'finding', place: placeOf(loc), message }))
}

export const placeOf = ([first, ...rest]: Finding['loc']) =>
  [first, ...(rest.length > 0 ? [rest.join('.')] : [])].join(':')

/** Says what nobody reads of the files. */
export function sayIgnored(terminal: Terminal, applied: AppliedManifest | undefined): void {
  for (const { place, message } of ignoredMembers(applied)) say(terminal, `${place}: ${message}`)
}

/** A bad place of a manifest. */
export function problemOf({ loc, msg, file, line, column }: Issue | Warning, place: string): Problem {
  const spot = [file, line, column].filter((part) => part !== undefined).join(':')
  return {
    of: 'manifest',
    place: spot === '' ? place : spot,
    message: `${loc.join('.') || 'the text'} ${msg.replace(/\.$/, '')}.`,
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
  }
}

/** One problem a line, and as an annotation of a pull request where the command runs there. */
export function giveProblems(terminal: Terminal, problems: readonly Problem[], annotate: boolean): void {
  for (const { of, place, message, path, file, line, column } of problems) {
    const way = path === undefined ? '' : ` [${path}]`
    giveLine(terminal, `${of} ${place}: ${message}${way}`)
    if (!annotate) continue
    const spot = [file && `file=${ofProperty(file)}`, line && `line=${line}`, column && `col=${column}`].filter(Boolean)
    giveLine(
      terminal,
      `::error ${[...spot, `title=${ofProperty(`habeas ${of}`)}`].join(',')}::${ofMessage(`${place}: ${message}${way}`)}`,
    )
  }
}

/** As the workflow commands of GitHub want them. */
const ofMessage = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const ofProperty = (text: string) => ofMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

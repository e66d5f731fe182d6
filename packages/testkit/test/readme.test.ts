import { readFileSync } from 'node:fs'
import { type Fixture, ledger, shop } from '@habeas/testkit'
import { expect, it } from 'vitest'
import { journal } from '../src/fixtures/ledger.js'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

/** The lines of the table with this heading. */
const documented = (heading: string) =>
  readme
    .slice(readme.indexOf(`| ${heading} |`))
    .split('\n\n')[0]
    ?.trimEnd()
    .split('\n')
    .slice(2)

const linesOf = (fixture: Fixture) =>
  fixture
    .filter(({ name }) => /^\w+$/.test(name))
    .map(({ name, columns }) => `| \`${name}\` | ${columns.map((each) => `\`${each.name}\``).join(', ')} |`)

it('lists the tables and columns of the fixtures', () => {
  expect(documented('Table of `shop`')).toEqual(linesOf(shop))
  expect(documented('Table of `ledger`')).toEqual(linesOf([...ledger, ...journal(1)]))
})

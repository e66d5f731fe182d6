import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const repository = resolve(import.meta.dirname, '../../..')
const address = 'https://github.com/habeas/habeas'

const packages = readdirSync(join(repository, 'packages'))
  .filter((folder) => existsSync(join(repository, 'packages', folder, 'package.json')))
  .map((folder) => ({ folder, manifest: JSON.parse(read('packages', folder, 'package.json')) }))
  .filter(({ manifest }) => !manifest.private)

function read(...path: string[]): string {
  return readFileSync(join(repository, ...path), 'utf8')
}

/** Where links of a text lead, without those inside of programs. */
function links(markdown: string): string[] {
  const text = markdown.replace(/^```[\s\S]*?^```/gm, '')
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = '']) => to)
}

describe.each(packages)('@habeas/$folder', ({ folder, manifest }) => {
  it('says in the registry where it comes from', () => {
    expect(manifest).toMatchObject({
      name: `@habeas/${folder}`,
      description: expect.stringMatching(/\.$/),
      license: 'MIT',
      engines: { node: expect.any(String) },
      homepage: `${address}/tree/main/packages/${folder}#readme`,
      bugs: { url: `${address}/issues` },
      repository: { type: 'git', url: `git+${address}.git`, directory: `packages/${folder}` },
    })
    expect(manifest.keywords).toEqual(expect.arrayContaining(['privacy', 'gdpr', 'habeas']))
  })

  it('has a README whose links work outside of the repository, and lead to files that exist', () => {
    for (const to of links(read('packages', folder, 'README.md'))) {
      expect(to).toMatch(/^(https:\/\/|#)/)
      const [, path] = to.match(/^https:\/\/github\.com\/habeas\/habeas\/(?:tree|blob)\/main\/([^#]+)/) ?? []
      if (path !== undefined) expect([to, existsSync(join(repository, path))]).toEqual([to, true])
    }
  })
})

it('finds every published package', () => {
  expect(packages.length).toBeGreaterThan(8)
})

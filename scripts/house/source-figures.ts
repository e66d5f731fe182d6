import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import ts from 'typescript'

/** A file of a package as it is shipped: no test, no blank line, no comment. */
export interface SourceFigures {
  readonly path: string
  readonly lines: number
  readonly codeLines: number
  readonly isNamedForExport: boolean
}

/** Counts one file. A line counts as code when a token other than a comment touches it. */
export function sourceFigures(path: string): SourceFigures {
  const text = readFileSync(path, 'utf8')
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const code = new Set<number>()
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return
    if (node.getChildCount(file) === 0 && node.getWidth(file) > 0)
      for (let line = lineOf(node.getStart(file)); line <= lineOf(node.getEnd()); line++) code.add(line)
    for (const child of node.getChildren(file)) visit(child)
  }
  visit(file)
  return {
    path,
    lines: text.trimEnd().split('\n').length,
    codeLines: code.size,
    isNamedForExport: exportsOf(file).some((name) => kebab(name) === basename(path, '.ts')),
  }
}

function exportsOf(file: ts.SourceFile): string[] {
  return file.statements.flatMap((statement) => {
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
    if (!isExported) return []
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name }) => name.getText(file))
    return 'name' in statement ? [(statement.name as ts.Identifier).text] : []
  })
}

function kebab(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
}

/** Relative imports by which files lead back to themselves, as one path for each circle. */
export function importCircles(paths: readonly string[]): string[] {
  const known = new Set(paths)
  const imports = new Map(paths.map((path) => [path, importsOf(path).filter((target) => known.has(target))]))
  const state = new Map<string, 'open' | 'done'>()
  const circles: string[] = []
  const follow = (path: string, way: readonly string[]): void => {
    if (state.get(path) === 'done') return
    if (state.get(path) === 'open') {
      circles.push([...way.slice(way.indexOf(path)), path].join(' → '))
      return
    }
    state.set(path, 'open')
    for (const target of imports.get(path) ?? []) follow(target, [...way, path])
    state.set(path, 'done')
  }
  for (const path of paths) follow(path, [])
  return circles
}

function importsOf(path: string): string[] {
  return ts
    .preProcessFile(readFileSync(path, 'utf8'))
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => new URL(fileName.replace(/\.js$/, '.ts'), `file:///${path}`).pathname.slice(1))
}

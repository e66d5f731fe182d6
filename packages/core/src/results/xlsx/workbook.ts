import { ZipFile } from 'yazl'
import type { MapCell } from '../../model/data-map.js'
import { cellText } from '../cell-text.js'

/** A sheet: a bold first line, and lines below it. */
export interface Sheet {
  readonly name: string
  readonly head: readonly string[]
  readonly lines: readonly (readonly MapCell[])[]
}

/**
 * A workbook of Excel (ECMA-376) with one sheet. The same sheet gives the same bytes, in every time zone: the files are stored
 * uncompressed, and their time is a constant.
 *
 * Own code: libraries that write workbooks put the time into them, and weigh more than this package.
 */
export async function workbook(sheet: Sheet): Promise<Uint8Array> {
  const archive = new ZipFile()
  // The time of day without a zone, which is all that is kept with `forceDosTimestamp`.
  const mtime = new Date(1980, 0, 1)
  for (const [name, text] of Object.entries(partsOf(sheet))) {
    archive.addBuffer(Buffer.from(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>${text}`), name, {
      mtime,
      forceDosTimestamp: true,
      mode: 0o100644,
      compress: false,
    })
  }
  archive.end()
  const pieces: Uint8Array[] = []
  for await (const piece of archive.outputStream) pieces.push(piece as unknown as Uint8Array)
  return Buffer.concat(pieces)
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/package/2006/relationships'
const documents = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

function partsOf({ name, head, lines }: Sheet): Readonly<Record<string, string>> {
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${documents}/${type}" Target="${target}"/>`
  const override = (part: string, type: string) => `<Override PartName="/${part}" ContentType="${types}.${type}+xml"/>`
  const rows = [head, ...lines].map((line, row) => rowOf(line, row + 1))
  const last = `${letters(head.length)}${rows.length}`
  return {
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${override('xl/workbook.xml', 'sheet.main')}${override('xl/worksheets/sheet1.xml', 'worksheet')}${override('xl/styles.xml', 'styles')}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${relations}">${relation('rId1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${documents}"><sheets><sheet name="${escaped(name)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${relations}">${relation('rId1', 'worksheet', 'worksheets/sheet1.xml')}${relation('rId2', 'styles', 'styles.xml')}</Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}"><fonts count="2"><font/><font><b/></font></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellXfs count="2"><xf/><xf fontId="1" applyFont="1"/></cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>${rows.join('')}</sheetData><autoFilter ref="A1:${last}"/></worksheet>`,
  }
}

/** Texts only: a formula is never calculated. */
function rowOf(line: readonly MapCell[], row: number): string {
  const cells = line.map((value, at) => {
    const text = cellText(value)
    const style = row === 1 ? ' s="1"' : ''
    const place = `r="${letters(at + 1)}${row}"`
    return text === ''
      ? ''
      : `<c ${place} t="inlineStr"${style}><is><t xml:space="preserve">${escaped(text)}</t></is></c>`
  })
  return `<row r="${row}">${cells.join('')}</row>`
}

/** The most characters that Excel takes in a cell. */
export const mostInCell = 32_767

/** XML has no words for most control characters, and a workbook reads `_x0041_` as A. */
function escaped(text: string): string {
  return text
    .replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** The name of the column at a position from 1: A to Z, AA and so on. */
function letters(position: number): string {
  const before = Math.floor((position - 1) / 26)
  return `${before > 0 ? letters(before) : ''}${String.fromCharCode(65 + ((position - 1) % 26))}`
}

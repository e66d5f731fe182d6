import type { DataMap, DataMapView, MapBlank } from '../../model/data-map.js'
import { declarationName } from '../policy/violations.js'
import { type MapColumn, mapColumns } from './map-columns.js'
import { datasetEntries, declarationEntries, type MapEntry, type MappedDocuments } from './map-entry.js'
import { controllerColumns, isIn, processorColumns } from './record-columns.js'

const columnsOf: Readonly<Record<DataMapView, readonly MapColumn[]>> = {
  map: mapColumns,
  controller: controllerColumns,
  processor: processorColumns,
}

/** The table of a view. The same documents give the same rows in the same order. */
export function dataMap(view: DataMapView, documents: MappedDocuments): DataMap {
  const columns = columnsOf[view]
  const entries =
    view === 'map'
      ? datasetEntries(documents)
      : declarationEntries(documents).filter(({ system }) => isIn(view, system))
  const rows = entries.map((entry) => Object.fromEntries(columns.map((column) => [column.key, column.of(entry)])))
  return {
    view,
    columns: columns.map(({ key, heading }) => ({ key, heading })),
    rows,
    blanks: entries.flatMap((entry, at) => {
      const row = rows[at]
      return columns.flatMap((column) => {
        const isWhole = column.isWhole ? column.isWhole(entry) : row?.[column.key] !== null
        return isWhole ? [] : blankOf(column, entry, row?.[column.key] === null)
      })
    }),
  }
}

function blankOf(column: MapColumn, entry: MapEntry, isEmpty: boolean): MapBlank[] {
  const member = column.missing?.(entry)
  if (member === undefined) return []
  const { system, declaration, position } = entry
  const name = declaration && declarationName({ system, index: position })
  const place = `'${system.service_key}'${name === undefined ? ', which has no declaration' : `, '${name}'`}`
  const of = (!isEmpty && column.missingOf?.(entry)) || ''
  return [
    {
      system: system.service_key,
      ...(name !== undefined && { declaration: name }),
      column: column.key,
      message: `Nobody has declared '${column.heading}' of ${place}${of && ` for ${of}`}: set ${member}.`,
    },
  ]
}

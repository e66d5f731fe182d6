import fc from 'fast-check'
import { it } from 'vitest'
import { naiveAccess } from './naive-model.js'
import { shapeArbitrary } from './random-world.js'
import { worldOf } from './world-of-shape.js'
it('stats', () => {
  fc.statistics(shapeArbitrary, (shape) => {
    const m = naiveAccess(worldOf(shape).model)
    if (!m) return ['refused']
    const sum = (f: (x: (typeof m)[number]) => number) => m.reduce((s, x) => s + f(x), 0)
    return ['all', `colls ${m.length}`, sum(x=>x.own)>3 && 'own>3', sum(x=>x.lookedUp)>0 && 'lookedUp', sum(x=>x.others)>0 && 'others', sum(x=>x.elementsLeft)>0 && 'left', sum(x=>x.nearMatches)>0 && 'near', m.filter(x=>x.own+x.lookedUp>0).length>2 && '3 colls with rows'].filter((x): x is string => typeof x === 'string')
  }, { numRuns: 2000 })
})

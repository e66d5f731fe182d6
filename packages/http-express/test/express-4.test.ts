import { httpContract } from '../../http/test/contract/contract.js'
import { expressSkin, versions } from './express-skin.js'

const express = versions['Express 4'] as NonNullable<(typeof versions)[string]>

for (const prefix of ['', '/privacy']) {
  for (const parsers of [false, true]) {
    const name = `Express 4 under '${prefix}/'${parsers ? ' behind body parsers' : ''}`
    httpContract(name, expressSkin({ express, prefix, parsers }))
  }
}

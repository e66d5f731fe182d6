import { postgresQueue } from '../../src/index.js'
import { workInChaos } from './work-in-chaos.js'

const { state }: { readonly state: string } = JSON.parse(process.argv[2] as string)
workInChaos(state, postgresQueue({ connectionString: state, schema: 'state' }))

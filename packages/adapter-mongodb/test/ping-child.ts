import { mongodbConnector } from '../src/index.js'

// a process of its own, since what the driver makes of an answer can take all of its memory
const connection = await mongodbConnector({ connectTimeoutSeconds: 1 }).connect({
  url: `mongodb://127.0.0.1:${process.argv[2]}/shop`,
})
await connection.ping().catch((error) => console.log(error.message))
await connection.close()

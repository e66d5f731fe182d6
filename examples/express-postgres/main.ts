// Loading takes some seconds, so it says first that it has begun.
console.log('Habeas starts …')

const { start } = await import('./start.js')
try {
  await start()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}

// Makes it a module, which may wait.
export {}

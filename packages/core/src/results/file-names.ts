const maxBytes = 120

/** Names that Windows reserves for devices, whatever follows their first dot. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i

/**
 * Gives each thing a file name that every operating system takes; no two names differ in case alone. Letters, digits,
 * `_`, `-` and `.` stay. The colon of an address becomes a dot, every other character `_`.
 */
export function fileNames(): (name: string, ending: string) => string {
  const taken = new Set<string>()
  return (name, ending) => {
    const base = safeName(name)
    for (let count = 1; ; count++) {
      const file = `${base}${count === 1 ? '' : `-${count}`}${ending}`
      // Upper case first: ß and ss are one name on some disks.
      const folded = file.toUpperCase().toLowerCase()
      if (taken.has(folded)) continue
      taken.add(folded)
      return file
    }
  }
}

function safeName(name: string): string {
  const plain = name
    .normalize('NFC')
    .replace(':', '.')
    .replace(/[^\p{L}\p{M}\p{N}._-]/gu, '_')
    .replace(/^\.+/, '_')
    .replace(device, '_$1')
  return shortened(plain) || '_'
}

/** Cut between characters: disks count the bytes of a name. */
function shortened(name: string): string {
  let bytes = 0
  let kept = ''
  for (const character of name) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxBytes) break
    kept += character
  }
  return kept
}

const canvas = document.createElement('canvas').getContext('2d')

export function textWidth(text: string, font: string): number {
  if (!canvas) return 0
  canvas.font = font
  return canvas.measureText(text).width
}

/** A text that is at most so wide in a font. What is cut off is marked by an ellipsis. */
export function shortLabel(text: string, width: number, font: string): string {
  if (!canvas) return text
  canvas.font = font
  const line = text.replace(/\s+/g, ' ')
  if (canvas.measureText(line).width <= width) return line
  const characters = [...line]
  let [low, high] = [1, characters.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (canvas.measureText(`${characters.slice(0, middle).join('')}…`).width <= width) low = middle
    else high = middle - 1
  }
  return `${characters.slice(0, low).join('').trimEnd()}…`
}

const list = (text: string) => text.split(',').map((each) => each.trim())

export const firstNames =
  list(`Ada, Anton, Astrid, Béla, Carla, Chidi, Dana, Elif, Emil, Fatima, Félix, Freya, Georg, Hana,
  Hugo, Inês, Ivan, Jana, Jonas, Kofi, Lars, Leila, Luca, Maja, Marta, Milan, Nadia, Noor, Oskar, Petra, Quentin, Rosa,
  Samir, Sofia, Tarek, Ulla, Viktor, Wanda, Yusuf, Zoë`)

export const lastNames =
  list(`Abend, Berg, Castel, Dahl, Eriksen, Farouk, Gruber, Hansen, Ivanova, Jansen, Kaya, Larsen,
  Moreau, Novák, Okafor, Petersen, Quast, Rossi, Sato, Tamm, Ulrich, Vargas, Weber, Yılmaz, Zimmer`)

export const streets =
  list(`Am Markt, Birch Lane, Canal Street, Drottninggatan, Elm Road, Feldweg, Garden Row, Harbour View,
  Kirchgasse, Linden Avenue, Mill Street, Nygatan, Orchard Close, Parkweg, Queens Road, Rue des Lilas, Storgatan, Via Roma`)

export const towns = list(`Aarhus/DK, Bergen/NO, Bremen/DE, Ghent/BE, Graz/AT, Leeds/GB, Lyon/FR, Malmö/SE, Porto/PT,
  Tampere/FI, Trieste/IT, Utrecht/NL`)

export const goods = list(`kettle, lamp, notebook, rucksack, teapot, scarf, chair, tent, bicycle bell, clock, blanket,
  penknife`)

export const adjectives = list('blue, folding, brass, woollen, small, green, sturdy, quiet, round, red')

export const remarks = list(`Arrived quickly and well packed., The colour is not what the picture shows.,
  A present for my sister: she loves it., Broke after two weeks., Exactly as described., I would buy it again.`)

export const questions = list(`When will it be delivered?, I have moved: please change the address.,
  The parcel was left with a neighbour., May I return it without the box?, I was charged twice., Thank you: all is well.`)

export const agents =
  list(`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17.1 Safari/605.1.15,
  Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/120.0.0.0 Safari/537.36,
  Mozilla/5.0 (Android 14; Mobile; rv:121.0) Gecko/121.0 Firefox/121.0`)

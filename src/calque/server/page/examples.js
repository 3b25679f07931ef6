// What the page starts with, so that there is something to see.

export const SENTENCES = [
  "The children are playing in the garden.",
  "Los niños juegan en el jardín.",
  "Τα παιδιά παίζουν στον κήπο.",
  "الأطفال يلعبون في الحديقة.",
  "The children take the train in the morning.",
  "Le train part à sept heures du matin.",
  "הרכבת יוצאת בשבע בבוקר.",
  "火车早上七点出发。",
];

export const TO_MINE = {
  source: [
    "The bakery opens at six.",
    "I lost my umbrella on the bus.",
    "My sister plays the violin.",
    "We are going to the beach tomorrow.",
    "The soup is too hot.",
    "He wrote a letter to his grandmother.",
  ],
  target: [
    "La sopa está demasiado caliente.",
    "Mañana vamos a la playa.",
    "Escribió una carta a su abuela.",
    "El gato duerme en el sofá.",
    "La panadería abre a las seis.",
    "Mi hermana toca el violín.",
  ],
};

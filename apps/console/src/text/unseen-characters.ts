const TAG = String.raw`[\u{E0061}-\u{E007A}]`;
/** The flags of England, Scotland and Wales are a black flag, five tags and an end. */
const TAGS_OF_FLAG = 5;

/** These belong to an emoji that one sees: the joiner inside it, the selector of its look, and the tags of a flag. */
const OF_EMOJI = [
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?)\u200D(?=\p{Extended_Pictographic})`,
  String.raw`(?<=[\p{Extended_Pictographic}0-9#*])\uFE0F`,
  ...Array.from(
    { length: TAGS_OF_FLAG + 1 },
    (_, before) => String.raw`(?<=\u{1F3F4}${TAG}{${before}})${TAG}{${TAGS_OF_FLAG - before}}\u{E007F}`,
  ),
];

/**
 * A character that one does not see, or that changes the order or the lines of others. Unicode calls most of them "default ignorable": zero-width
 * characters, controls of direction, fillers, variation selectors, tags. Its source can be a part of another expression with the flag `u`.
 */
export const UNSEEN_CHARACTER = new RegExp(
  String.raw`(?!${OF_EMOJI.join('|')})[\p{Default_Ignorable_Code_Point}\u2028\u2029\uFFF9-\uFFFB]`,
  'u',
);

/** In place of a style sheet: components are tested without their look. */
module.exports = {};

/*
Attack: print a result that is small on the wire and kills whoever reads it with recursion.
Defence: the depth of a result is bounded, and counted without recursion, before anything else looks at it.
Expect: OutputError
*/
console.log('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000));

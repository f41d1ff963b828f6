/*
Attack: print a result that is small but so deep that a recursive reader crashes.
Defence: the depth of a result is limited, and counted without recursion before any other code reads the result.
Expect: OutputError
*/
console.log('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000));

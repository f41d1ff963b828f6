/**
 * Whether `value` is a multiple of `divisor`. Both count as the decimal numbers of their shortest texts: 0.07 is a
 * multiple of 0.01, and 0.30000000000000004 is not one of 0.1. Exact for all doubles, in some microseconds for any
 * exponents.
 */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (!Number.isFinite(value) || !(divisor > 0)) return false;
  if (value === 0) return true;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const { digits, exponent } = decimalOf(value);
  const unit = decimalOf(divisor);
  const shift = exponent - unit.exponent;
  // value / divisor = digits / unit.digits * 10^shift. No digits end in 0, so a negative shift leaves a fraction
  // unless factors of 10 cancel: unit.digits has to divide digits * 10^shift.
  if (shift < 0) return digits % (unit.digits * 10n ** BigInt(-shift)) === 0n;
  return (digits * powerOfTen(shift, unit.digits)) % unit.digits === 0n;
}

/** The cost of `isMultipleOf`, in steps. */
export function stepsOfDivision(value: number, divisor: number): number {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return 1;
  const isOrdinary = [value, divisor].every((number) => Math.abs(number) < 1e15 && Math.abs(number) > 1e-15);
  return isOrdinary ? 10 : 60;
}

interface Decimal {
  /** The digits without trailing zeros. */
  digits: bigint;
  exponent: number;
}

function decimalOf(number: number): Decimal {
  const [mantissa = '', power = '0'] = Math.abs(number).toExponential().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

/** 10^exponent modulo the modulus. */
function powerOfTen(exponent: number, modulus: bigint): bigint {
  let power = 1n;
  let square = 10n % modulus;
  for (let rest = exponent; rest > 0; rest >>= 1) {
    if (rest & 1) power = (power * square) % modulus;
    square = (square * square) % modulus;
  }
  return power % modulus;
}

// The model's last step, and distances of distributions. A "reading" is what the page knows of one text: its attention
// (L), contributions z (L x outputs, row by row), bias, and how scores become probabilities.

/** The values divided by their sum; zeros where the sum is 0. */
export function normalised(values) {
  const sum = values.reduce((total, value) => total + value, 0);
  return values.map((value) => (sum > 0 ? value / sum : 0));
}

/** The mean of H maps of the same L words. */
export function meanOf(maps) {
  return maps[0].map((_, word) => maps.reduce((total, map) => total + map[word], 0) / maps.length);
}

/** Position of the greatest value; of equals, the first. */
export function argmax(values) {
  return values.reduce((best, value, place) => (value > values[best] ? place : best), 0);
}

/** s = sum_t a_t z_t + b, one value an output; b alone where all weights are 0. */
export function scores(reading, weights) {
  const { z, bias } = reading;
  const result = [...bias];
  for (let word = 0; word < weights.length; word += 1) {
    for (let output = 0; output < bias.length; output += 1) {
      result[output] += weights[word] * z[word * bias.length + output];
    }
  }
  return result;
}

/** Logits of all classes: 0 and s of one output, s of several; W tanh(s) + c where a tail lies above the sum. */
export function logits(reading, weights) {
  const sums = scores(reading, weights);
  if (reading.tail) {
    const bent = sums.map(Math.tanh);
    return reading.tail.weight.map((row, class_) =>
      row.reduce((total, weight, output) => total + weight * bent[output], reading.tail.bias[class_]),
    );
  }
  return sums.length === 1 ? [0, sums[0]] : sums;
}

/** exp(x_c) / sum exp(x), of the classes that may be the answer; 0 of the others. */
export function softmax(values, candidates = null) {
  const allowed = values.map((value, class_) => (candidates && !candidates.includes(class_) ? -Infinity : value));
  const most = Math.max(...allowed);
  return normalised(allowed.map((value) => Math.exp(value - most)));
}

/** The distribution over classes that the model's last step gives under these weights. */
export function predict(reading, weights) {
  return softmax(logits(reading, weights), reading.candidates);
}

/**
 * By how much each word puts the predicted class ahead of the mean of all, z_tm - sum_c p_c z_tc (L), at the model's
 * own weights. With a tail there is no such sum.
 */
export function lead(reading) {
  const distribution = predict(reading, reading.attention);
  const decision = argmax(distribution);
  const outputs = reading.bias.length;
  const share = distribution.map((value, class_) => (class_ === decision ? 1 : 0) - value).slice(-outputs);
  return reading.attention.map((_, word) =>
    share.reduce((total, part, output) => total + part * reading.z[word * outputs + output], 0),
  );
}

/** Jensen-Shannon divergence in nats, 0 to ln 2; NaN where a side has no mass. */
export function jsd(one, other) {
  if (!one.some((value) => value > 0) || !other.some((value) => value > 0)) {
    return NaN;
  }
  const term = (value, middle) => (value > 0 ? value * Math.log(value / middle) : 0);
  const sum = one.reduce((total, value, place) => {
    const middle = (value + other[place]) / 2;
    return total + term(value, middle) + term(other[place], middle);
  }, 0);
  return Math.min(Math.max(sum / 2, 0), Math.LN2);
}

/** Total variation distance: half the sum of absolute differences. */
export function tvd(one, other) {
  return one.reduce((total, value, place) => total + Math.abs(value - other[place]), 0) / 2;
}

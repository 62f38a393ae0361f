// In Guava's own package, so that the strategy and the sizing, which are not public, are the real ones.
package com.google.common.hash;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Guava's side of tests/guava_library.rs, which says what to do in a folder and compares. The keys are those of
 * tests/guava/keys.rs.
 */
public final class Referee {
  private static final int QUERIES = 100_000;
  private static final String[] PREFIXES = {
    "", "key ", "https://example.com/a/rather/long/path?with=query&and=more#", "grün-", "ключ-", "漢字", "🌱🪲"
  };

  private final Path folder;

  private Referee(Path folder) {
    this.folder = folder;
  }

  public static void main(String[] arguments) throws Exception {
    Referee referee = new Referee(Path.of(arguments[1]));
    switch (arguments[0]) {
      case "write" -> referee.write();
      case "check" -> referee.check();
      case "sizes" -> referee.sizes();
      case "judge" -> referee.judge();
      case "facts" -> referee.facts();
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  /** One line of cases.txt: name, ordinal of the strategy, funnel, number of keys, rate. */
  private record Case<T>(
      String name, BloomFilterStrategies strategy, Funnel<? super T> funnel, IntFunction<T> key, int keys, double rate) {

    static Case<?> of(String line) {
      String[] words = line.split(" ");
      BloomFilterStrategies strategy = BloomFilterStrategies.values()[Integer.parseInt(words[1])];
      int keys = Integer.parseInt(words[3]);
      double rate = Double.parseDouble(words[4]);
      String name = words[0];
      return switch (words[2]) {
        case "bytes" -> new Case<>(name, strategy, Funnels.byteArrayFunnel(), Referee::bytes, keys, rate);
        case "text" ->
            new Case<>(name, strategy, Funnels.stringFunnel(StandardCharsets.UTF_8), Referee::text, keys, rate);
        case "chars" -> new Case<>(name, strategy, Funnels.unencodedCharsFunnel(), Referee::text, keys, rate);
        case "integer" -> new Case<Integer>(name, strategy, Funnels.integerFunnel(), Referee::integer, keys, rate);
        case "long" -> new Case<Long>(name, strategy, Funnels.longFunnel(), Referee::wide, keys, rate);
        default -> throw new IllegalArgumentException(line);
      };
    }

    BloomFilter<T> create() {
      return BloomFilter.<T>create(funnel, keys, rate, strategy);
    }

    /** Returns how many changed a bit. */
    int fill(BloomFilter<T> filter, int from, int to) {
      int changed = 0;
      for (int i = from; i < to; i++) {
        if (filter.put(key.apply(i))) {
          changed++;
        }
      }
      return changed;
    }

    byte[] answers(BloomFilter<T> filter) {
      byte[] answers = new byte[QUERIES];
      for (int i = 0; i < QUERIES; i++) {
        answers[i] = (byte) (filter.mightContain(key.apply(keys / 2 + i)) ? '1' : '0');
      }
      return answers;
    }

    void write(Path folder) throws IOException {
      BloomFilter<T> filter = create();
      int changed = fill(filter, 0, keys);
      save(filter, folder.resolve(name + ".guava"));
      Files.write(folder.resolve(name + ".guava.answers"), answers(filter));

      BloomFilter<T> first = create();
      fill(first, 0, keys / 2);
      save(first, folder.resolve(name + ".first"));
      BloomFilter<T> second = create();
      fill(second, keys / 2, keys);
      save(second, folder.resolve(name + ".second"));
      first.putAll(second);
      save(first, folder.resolve(name + ".union"));
      System.out.println(
          name + " " + changed + " " + filter.approximateElementCount() + " " + filter.expectedFpp());
    }

    void check(Path folder) throws IOException {
      byte[] ours = Files.readAllBytes(folder.resolve(name + ".ours"));
      BloomFilter<T> filter = BloomFilter.readFrom(new ByteArrayInputStream(ours), funnel);
      Files.write(folder.resolve(name + ".ours.answers"), answers(filter));
      BloomFilter<T> own = create();
      fill(own, 0, keys);
      System.out.println(name + (filter.equals(own) ? " equal" : " different"));
    }
  }

  /** Lets Guava write filters, answers, unions and what it says of itself. */
  private void write() throws IOException {
    for (String line : lines("cases.txt")) {
      Case.of(line).write(folder);
    }
  }

  /** Lets Guava load what sundew wrote. */
  private void check() throws IOException {
    for (String line : lines("cases.txt")) {
      Case.of(line).check(folder);
    }
  }

  /** For each line of sizes.txt, keys and rate: the number of longs and of hash functions. */
  private void sizes() throws Exception {
    StringBuilder sizes = new StringBuilder();
    for (String line : lines("sizes.txt")) {
      String[] words = line.split(" ");
      long keys = Long.parseLong(words[0]);
      double rate = Double.parseDouble(words[1]);
      long bits = BloomFilter.optimalNumOfBits(keys, rate);
      sizes.append((bits + 63) / 64).append(' ').append(hashFunctions(keys, bits, rate)).append('\n');
    }
    Files.writeString(folder.resolve("sizes.answers"), sizes);
  }

  /** Its arguments changed after Guava 33.3. */
  private static int hashFunctions(long keys, long bits, double rate) throws Exception {
    for (Method method : BloomFilter.class.getDeclaredMethods()) {
      if (method.getName().equals("optimalNumOfHashFunctions")) {
        return (int) (method.getParameterCount() == 2 ? method.invoke(null, keys, bits) : method.invoke(null, rate));
      }
    }
    throw new NoSuchMethodException("optimalNumOfHashFunctions");
  }

  /** For each file named in judge.txt: whether Guava takes it. */
  private void judge() throws IOException {
    for (String name : lines("judge.txt")) {
      byte[] file = Files.readAllBytes(folder.resolve(name));
      String verdict;
      try {
        BloomFilter.readFrom(new ByteArrayInputStream(file), Funnels.longFunnel());
        verdict = "taken";
      } catch (IOException | RuntimeException | OutOfMemoryError e) {
        verdict = "refused";
      }
      System.out.println(name + " " + verdict);
    }
  }

  /** What the documentation says besides. */
  private void facts() throws IOException {
    String half = "\uD83C";
    BloomFilter<CharSequence> chars = BloomFilter.create(Funnels.unencodedCharsFunnel(), 10, 0.01);
    chars.put(half);
    save(chars, folder.resolve("half.guava"));

    BloomFilter<CharSequence> text = BloomFilter.create(Funnels.stringFunnel(StandardCharsets.UTF_8), 10, 0.01);
    text.put(half);
    System.out.println("half a pair is a question mark: " + text.mightContain("?"));

    BloomFilter<Iterable<? extends Integer>> sequence =
        BloomFilter.create(Funnels.sequentialFunnel(Funnels.integerFunnel()), 10, 0.01);
    sequence.put(List.of(1, 2, 3));
    save(sequence, folder.resolve("sequence.guava"));

    byte[] full = {1, 5, 0, 0, 0, 1, -1, -1, -1, -1, -1, -1, -1, -1};
    try {
      BloomFilter.readFrom(new ByteArrayInputStream(full), Funnels.longFunnel()).approximateElementCount();
    } catch (ArithmeticException e) {
      System.out.println("a full filter cannot be counted: true");
    }
    BloomFilter<Long> unplanned = BloomFilter.create(Funnels.longFunnel(), 1000);
    save(unplanned, folder.resolve("unplanned.guava"));
  }

  private static byte[] bytes(int i) {
    byte[] bytes = new byte[4 + i % 41];
    for (int j = 0; j < 4; j++) {
      bytes[j] = (byte) (i >>> (8 * j));
    }
    for (int j = 4; j < bytes.length; j++) {
      bytes[j] = (byte) (31 * i + 17 * j);
    }
    return bytes;
  }

  private static String text(int i) {
    return PREFIXES[i % PREFIXES.length] + i;
  }

  private static int integer(int i) {
    return i * 0x9E3779B1;
  }

  private static long wide(int i) {
    return i * 0x9E3779B97F4A7C15L;
  }

  private List<String> lines(String file) throws IOException {
    return Files.readAllLines(folder.resolve(file));
  }

  private static void save(BloomFilter<?> filter, Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      filter.writeTo(out);
    }
  }
}

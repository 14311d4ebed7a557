// Runs a fuzz target without libFuzzer: on its corpus and on seeded mutations of it, the same every time. An input that
// ends the process is kept as crash-NAME_replay in the working folder; `NAME_replay crash-NAME_replay` runs it again.
// Usage: NAME_replay FILE|FOLDER... [--mutations N] [--seed N]
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/random.h"
#include "base/text.h"
#include "fuzz_support.h"

namespace transformeter {
namespace {

constexpr std::size_t kLargestInput = 64 << 10;
constexpr int kLongestInputS = 10;

std::string current_input;  // what the handler keeps
std::string crash_file;

// Only what a signal handler may call.
extern "C" void keep_input(int signal) {
  const int file = ::open(crash_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0) {
    [[maybe_unused]] const ssize_t count = ::write(file, current_input.data(), current_input.size());
    ::close(file);
  }
  constexpr std::string_view kMessage = "fuzz: an input ended the process, or took too long; it is kept as crash-*\n";
  [[maybe_unused]] const ssize_t count = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void run_input(std::string input) {
  current_input = std::move(input);
  ::alarm(kLongestInputS);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current_input.data()), current_input.size());
  ::alarm(0);
}

// Numbers at which parsers turn, as bytes of one, two, four and eight.
std::string edge_number(RandomStream& random) {
  constexpr std::array<std::uint64_t, 9> kEdges{
      0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF};
  const std::uint64_t value = kEdges[random.below(kEdges.size())];
  return std::string(reinterpret_cast<const char*>(&value), std::size_t{1} << random.below(4));
}

// Text that means something to one of the formats.
std::string token(RandomStream& random) {
  static const std::vector<std::string> kTokens{"{",
                                                "}",
                                                "[",
                                                "]",
                                                "\"",
                                                ":",
                                                ",",
                                                "\\u0000",
                                                "\\ud800",
                                                "null",
                                                "-1",
                                                "1e999",
                                                "18446744073709551616",
                                                "0.5",
                                                "\t",
                                                "\n",
                                                "\r\n",
                                                "\xEF\xBB\xBF",
                                                "\xC3\x28",
                                                "&a ",
                                                "*a",
                                                "- ",
                                                "!!binary ",
                                                "---\n",
                                                "[[[[[[[[",
                                                "{\"a\":{\"a\":"};
  return kTokens[random.below(kTokens.size())];
}

void mutate_once(std::string& input, const std::string& other, RandomStream& random) {
  const std::size_t at = random.below(input.size() + 1);
  const std::size_t length = random.below(std::min<std::size_t>(input.size() - at, 32) + 1);
  switch (random.below(8)) {
    case 0:
      if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << random.below(8)));
      break;
    case 1:
      if (at < input.size()) input[at] = static_cast<char>(random.below(256));
      break;
    case 2:
      input.erase(at, length);
      break;
    case 3:
      input.insert(at, input.substr(at, length));
      break;
    case 4:
      input.insert(at, token(random));
      break;
    case 5: {
      const std::string number = edge_number(random);
      input.replace(at, std::min(number.size(), input.size() - at), number);
      break;
    }
    case 6:
      input.resize(at);
      break;
    default: {
      const std::size_t from = random.below(other.size() + 1);
      input = input.substr(0, at) + other.substr(from);
    }
  }
}

std::string mutated(const std::vector<std::string>& seeds, RandomStream& random) {
  std::string input = seeds[random.below(seeds.size())];
  const std::string& other = seeds[random.below(seeds.size())];
  for (std::uint64_t left = 1 + random.below(6); left > 0; --left) mutate_once(input, other, random);
  if (input.size() > kLargestInput) input.resize(kLargestInput);
  return input;
}

struct Options {
  std::vector<std::filesystem::path> files;
  long long mutations = 0;
  long long seed = 1;
};

Options parse_arguments(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool is_mutations = arguments[i] == "--mutations";
    if (is_mutations || arguments[i] == "--seed") {
      const auto number = i + 1 < arguments.size() ? parse_integer(arguments[i + 1]) : std::nullopt;
      if (!number || *number < 0) throw bad_value(arguments[i], "", "a number of 0 or more");
      (is_mutations ? options.mutations : options.seed) = *number;
      ++i;
    } else if (std::filesystem::is_directory(arguments[i])) {
      for (const auto& entry : std::filesystem::directory_iterator(arguments[i])) options.files.push_back(entry.path());
    } else {
      options.files.emplace_back(arguments[i]);
    }
  }
  std::sort(options.files.begin(), options.files.end());
  if (options.files.empty()) throw bad_value("corpus", "", "at least one file");
  return options;
}

int replay(const std::string& program, const std::vector<std::string>& arguments) {
  const Options options = parse_arguments(arguments);
  crash_file = "crash-" + program;
  for (const int signal : {SIGABRT, SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::signal(signal, keep_input);
  std::vector<std::string> seeds;
  for (const std::filesystem::path& file : options.files) {
    seeds.push_back(read_file(file));
    run_input(seeds.back());
  }
  RandomStream random(static_cast<std::uint64_t>(options.seed), program);
  for (long long i = 0; i < options.mutations; ++i) run_input(mutated(seeds, random));
  ::signal(SIGABRT, SIG_DFL);  // a report of leaks follows, which is of no single input
  fmt::print("{}: {} inputs and {} mutations of them\n", program, seeds.size(), options.mutations);
  return 0;
}

}  // namespace
}  // namespace transformeter

int main(int argument_count, char** arguments) {
  try {
    const std::string program = std::filesystem::path(arguments[0]).filename().string();
    return transformeter::replay(program, {arguments + 1, arguments + argument_count});
  } catch (const transformeter::Error& error) {
    fmt::print(stderr, "fuzz: {}\n", error.what());
    return 3;
  }
}

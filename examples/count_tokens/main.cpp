// How many tokens a model reads for each line of stdin, and for all: count-tokens FOLDER < TEXTS
#include <cstddef>
#include <exception>
#include <iostream>
#include <memory>
#include <string>

#include "transformeter/tokenizers.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: count-tokens FOLDER < TEXTS\nFOLDER holds tokenizer.json, or vocab.json and merges.txt, or "
                 "vocab.txt, or a sentencepiece model.\n";
    return 3;
  }
  try {
    const std::unique_ptr<transformeter::Tokenizer> tokenizer = transformeter::load_tokenizer(argv[1]);
    std::size_t all = 0;
    for (std::string line; std::getline(std::cin, line);) {
      const std::size_t tokens = tokenizer->encode(line).ids.size();
      std::cout << tokens << '\n';
      all += tokens;
    }
    std::cout << all << " tokens of " << tokenizer->vocabulary_size() << " kinds\n";
  } catch (const std::exception& error) {
    std::cerr << "count-tokens: " << error.what() << '\n';
    return 3;
  }
}

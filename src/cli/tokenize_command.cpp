// `transformeter tokenize`: what a model's tokenizer makes of a text.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/hub_connection.h"
#include "cli/interrupt.h"
#include "cli/option_values.h"
#include "cli/output_format.h"
#include "cli/standard_output.h"
#include "cli/text_table.h"
#include "spec/presets.h"
#include "terms/settings.h"
#include "terms/status.h"
#include "text/chat_template.h"
#include "text/tokenizer_loader.h"

namespace transformeter {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kFormats{"table", "json", "jsonl"};

constexpr const char* kExamples = R"(Examples:
  transformeter tokenize --model bert-base-uncased/ "Hello, world!"
      a folder with tokenizer.json, with vocab.json and merges.txt, or with vocab.txt; no model is needed
  transformeter tokenize --model my-model --file reviews.txt --format jsonl
      one text a line, one JSON object a line
  printf 'a line\nanother' | transformeter tokenize --model my-model --file -
      - is the standard input
  transformeter tokenize --model qwen2-instruct/ --chat messages.json
      a conversation, [{"role": "user", "content": "Hello"}], as the chat template of the folder's tokenizer_config.json
      writes it, up to where the answer begins
  transformeter tokenize --model google-bert/bert-base-uncased "Hello, world!"
      the tokenizer of a model on the hub, fetched into the cache when it is not there
  transformeter tokenize --model my-model -- "--what begins with a dash"

TEXT is always the text itself, --file and --chat are always files, so none is guessed. Offsets count the characters (Unicode
code points) of the text from 0, the end not included, as Hugging Face does; tokens added around the text have [0, 0].)";

std::string read_standard_input(const std::atomic<bool>& interrupt) {
  std::string text;
  std::string block(1 << 16, '\0');
  while (std::feof(stdin) == 0 && std::ferror(stdin) == 0) {
    text.append(block, 0, std::fread(block.data(), 1, block.size(), stdin));
  }
  check_interrupt(interrupt);  // a signal ends the reading, too
  if (std::ferror(stdin) != 0) throw Error(ErrorKind::kEnvironment, "cannot read the standard input");
  return text;
}

// One text a line; a line break at the very end begins no further text.
std::vector<std::string> lines_of(std::string_view bytes) {
  if (bytes.empty()) return {};
  if (bytes.back() == '\n') bytes.remove_suffix(1);
  return split(bytes, '\n');
}

fs::path tokenizer_of(const std::string& model, const Context& context, const std::atomic<bool>& interrupt) {
  const std::vector<std::string> presets = preset_names();
  if (std::find(presets.begin(), presets.end(), model) != presets.end()) {
    return context.data_directory / "texts" / "vocab.txt";
  }
  std::error_code code;
  if (fs::exists(model, code)) return model;
  if (const auto resolved = resolve_hub_model(context, interrupt, model, ModelParts::kTokenizer))
    return resolved->folder;
  throw Error(ErrorKind::kBadInput, fmt::format("{} A folder with tokenizer.json or vocab.txt, or with vocab.json "
                                                "and merges.txt, one of the files, or org/name of a model on the hub "
                                                "serves too.",
                                                unknown_value("model", model, presets).what()));
}

struct TokenizedText {
  std::string text;
  std::vector<Token> tokens;
};

Json json_of(const TokenizedText& one) {
  Json ids = Json::array();
  Json tokens = Json::array();
  Json offsets = Json::array();
  for (const Token& token : one.tokens) {
    ids.push_back(token.id);
    tokens.push_back(token.text);
    offsets.push_back({token.characters.begin, token.characters.end});
  }
  return {{"text", one.text}, {"ids", ids}, {"tokens", tokens}, {"offsets", offsets}};
}

// Control characters would spoil the table.
std::string shown(std::string_view text) {
  std::string line = Json(std::string(text)).dump();
  return line.substr(1, line.size() - 2);
}

std::string table_of(const TokenizedText& one) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < one.tokens.size(); ++i) {
    const Token& token = one.tokens[i];
    const auto [begin, end] = token.bytes;
    rows.push_back({std::to_string(i), std::to_string(token.id), shown(token.text),
                    token.special ? "" : fmt::format("{}-{}", token.characters.begin, token.characters.end),
                    shown(std::string_view(one.text).substr(begin, end - begin))});
  }
  return text_table({{"position", true}, {"id", true}, {"token"}, {"characters", true}, {"text"}}, rows);
}

class TokenizeCommand final : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* app = program.add_subcommand("tokenize", "show the token ids of a text");
    text_option_ = app->add_option("text", text_, "the text itself")->option_text("TEXT");
    const SettingTerm& model = setting_term("model");
    describe_values(*app->add_option("--model", model_,
                                     fmt::format("preset (the bundled vocabulary), a folder or file of a tokenizer, "
                                                 "or a model on the hub [{}]",
                                                 model.initial)),
                    "PRESET|DIR|FILE|NAME", {preset_names()});
    file_option_ = app->add_option("--file", file_, "texts from a file, one a line; -: the standard input");
    describe_values(*file_option_, "FILE|-");
    chat_option_ =
        app->add_option("--chat", chat_, "messages as a JSON array, put together by the model's chat template");
    describe_values(*chat_option_, "FILE|-");
    app->add_flag("--no-special-tokens", no_special_, "only the text's own tokens, without [CLS] and [SEP]");
    add_format_option(*app, format_, kFormats);
    app->footer(kExamples);
    return app;
  }

  int run(const Context& context, const std::atomic<bool>& interrupt) override {
    check_format(format_, kFormats);
    if (text_option_->count() + file_option_->count() + chat_option_->count() != 1) {
      throw Error(ErrorKind::kBadInput,
                  "tokenize takes either TEXT, or --file FILE, or --chat FILE (- for the standard input)");
    }
    place_ = tokenizer_of(model_, context, interrupt);
    const std::unique_ptr<Tokenizer> tokenizer = load_tokenizer(place_);
    std::vector<TokenizedText> texts;
    for (std::string& text : read_texts(interrupt)) {
      const std::string where = file_option_->count() == 0 ? "" : fmt::format("{}:{}: ", file_, texts.size() + 1);
      texts.push_back(tokenize(*tokenizer, std::move(text), where));
    }
    write_standard_output(text_of(texts));
    return kExitOk;
  }

 private:
  std::vector<std::string> read_texts(const std::atomic<bool>& interrupt) const {
    if (chat_option_->count() > 0) return {read_chat(interrupt)};
    if (file_option_->count() == 0) return {text_};
    std::vector<std::string> lines = lines_of(file_ == "-" ? read_standard_input(interrupt) : read_file(file_));
    if (lines.empty()) throw Error(ErrorKind::kBadInput, fmt::format("{} holds no text", file_));
    return lines;
  }

  std::string read_chat(const std::atomic<bool>& interrupt) const {
    const std::string text = chat_ == "-" ? read_standard_input(interrupt) : read_file(chat_);
    parse_json(chat_, text);  // for its checks; the members' order, which a template may write, is kept below
    return render_chat(fs::is_directory(place_) ? place_ : place_.parent_path(), jinja::Value::parse(text), true);
  }

  TokenizedText tokenize(const Tokenizer& tokenizer, std::string text, const std::string& where) const {
    EncodeOptions options;
    options.add_special_tokens = !no_special_ && chat_option_->count() == 0;  // a template writes its own
    try {
      std::vector<Token> tokens = tokenizer.tokenize(text, options);
      return {std::move(text), std::move(tokens)};
    } catch (const Error& error) {
      throw Error(error.kind(), where + error.what());
    }
  }

  std::string text_of(const std::vector<TokenizedText>& texts) const {
    std::string output;
    Json list = Json::array();
    for (const TokenizedText& one : texts) {
      if (format_ == "json") list.push_back(json_of(one));
      if (format_ == "jsonl") output.append(json_of(one).dump()).append("\n");
      if (format_ != "table") continue;
      if (!output.empty()) output.append("\n");
      output.append(table_of(one));
    }
    if (format_ == "json") output = Json{{"model", model_}, {"texts", list}}.dump(2) + "\n";
    return output;
  }

  std::string text_;
  std::string model_ = std::string(setting_term("model").initial);
  fs::path place_;  // of the tokenizer's files
  std::string file_;
  std::string chat_;
  std::string format_;
  bool no_special_ = false;
  CLI::Option* text_option_ = nullptr;
  CLI::Option* file_option_ = nullptr;
  CLI::Option* chat_option_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> make_tokenize_command() {
  return std::make_unique<TokenizeCommand>();
}

}  // namespace transformeter

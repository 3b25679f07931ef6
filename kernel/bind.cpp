// Arrays and training for Python: checks shapes, lets go of the interpreter's lock, calls the kernel.
#include "bind.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <numeric>

#include "meet.hpp"
#include "mega_batch.hpp"
#include "sentence.hpp"
#include "spare.hpp"
#include "threads.hpp"
#include "word_table.hpp"

namespace calque {
namespace {

constexpr std::size_t MOST_NUMBERS = std::size_t{1} << 60;  // whose bytes can still be counted

constexpr std::size_t MOST_PAIRS = std::size_t{1} << 31;    // of a mini-batch

// A matrix with nothing in particular in it.
Matrix matrix(std::size_t rows, std::size_t columns) {
    require(columns == 0 || rows <= MOST_NUMBERS / columns, "no memory is that large");
    Buffer<float>* memory = Spare::take(rows * columns).release();
    nb::capsule owner(memory, [](void* at) noexcept { Spare::give_back(Spare::Memory(static_cast<Buffer<float>*>(at))); });
    return Matrix(memory->data(), {rows, columns}, owner);
}

// Every id is checked once here, so that no loop behind this line has to.
Tokens tokens_of(const Ids& ids, const Offsets& offsets, std::size_t rows) {
    const bool two = ids.dtype() == nb::dtype<std::uint16_t>();
    require(two || ids.dtype() == nb::dtype<std::uint32_t>(), "ids must be uint16 or uint32");
    require(offsets.shape(0) > 0 && offsets(0) == 0 && offsets(offsets.shape(0) - 1) == ids.shape(0),
            "offsets must run from 0 to the number of ids");
    for (std::size_t at = 1; at < offsets.shape(0); ++at)
        require(offsets(at - 1) <= offsets(at), "offsets must not fall");
    std::size_t largest = 0;
    for (std::size_t at = 0; at < ids.shape(0); ++at) {
        const std::size_t id = two ? static_cast<const std::uint16_t*>(ids.data())[at]
                                   : static_cast<const std::uint32_t*>(ids.data())[at];
        largest = id > largest ? id : largest;
    }
    require(ids.shape(0) == 0 || largest < rows, "an id lies outside the table");
    return {ids.data(), two ? std::size_t{2} : std::size_t{4}, offsets.data()};
}

void mean(ConstMatrix embeddings, Ids ids, Offsets offsets, Matrix out, std::size_t threads) {
    require_threads(threads);
    require(embeddings.shape(1) >= TILE && embeddings.shape(1) <= WIDEST, "a table needs 16 to 8192 columns");
    require(out.shape(1) == embeddings.shape(1) && out.shape(0) + 1 == offsets.shape(0), "out has another shape");
    const Tokens tokens = tokens_of(ids, offsets, embeddings.shape(0));
    const Table table{embeddings.data(), embeddings.shape(1)};
    const Unlocked unlocked;
    in_pieces(threads, out.shape(0), 64, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; ++at) {
            hot().mean(table, sentence_at(tokens, at), tokens.id_bytes, out.data() + at * table.width);
        }
    });
}

nb::tuple encode_words(const WordTable& table, nb::list list, Array<const std::uint64_t, 1> which, Matrix out,
                       Array<std::uint32_t, 1> pieces, bool normalize, std::size_t threads) {
    require_threads(threads);
    const Texts texts(list);
    require(out.shape(0) == texts.views.size() && out.shape(1) == table.dimension(), "out has another shape");
    require(pieces.shape(0) == texts.views.size(), "one number of pieces a text");
    std::vector<std::uint64_t> sentences(which.data(), which.data() + which.shape(0));
    for (const std::uint64_t sentence : sentences) require(sentence < texts.views.size(), "no such sentence");
    std::vector<Outcome> outcomes(texts.views.size(), Outcome::done);
    std::vector<std::string> missing;
    std::vector<std::uint64_t> again, plain;
    {
        const Unlocked unlocked;
        missing = table.encode(texts.views, sentences, out.data(), pieces.data(), normalize, threads, outcomes.data());
        for (const std::uint64_t sentence : sentences) {
            if (outcomes[sentence] == Outcome::missing_words) again.push_back(sentence);
            if (outcomes[sentence] == Outcome::needs_plain) plain.push_back(sentence);
        }
    }
    return nb::make_tuple(missing, to_numpy(std::move(again)), to_numpy(std::move(plain)));
}

void add_words(WordTable& table, const std::vector<std::string>& words, Ids ids, Offsets offsets,
               ConstMatrix embeddings) {
    require(offsets.shape(0) == words.size() + 1, "one offset a word, and one more");
    require(embeddings.shape(1) == table.dimension(), "the embeddings have another dimension");
    const Tokens tokens = tokens_of(ids, offsets, embeddings.shape(0));
    const Unlocked unlocked;
    table.add(words, tokens, {embeddings.data(), embeddings.shape(1)});
}

// Keeps the arrays alive that the trainer changes.
class BoundTrainer {
  public:
    BoundTrainer(Matrix embeddings, Matrix first, Matrix second, Array<std::uint32_t, 1> current,
                 Array<const float, 1> step_weights, std::size_t batch_size, float margin, float dropout,
                 float beta_first, float beta_second, float epsilon, bool monolingual, bool exclude_same_text,
                 std::uint64_t seed, Array<const std::uint8_t, 1> frozen)
        : embeddings_(embeddings), first_(first), second_(second), current_(current), frozen_(frozen),
          trainer_({embeddings.data(), first.data(), second.data(), current.data(), embeddings.shape(0),
                    embeddings.shape(1)},
                   {beta_first, beta_second, epsilon},
                   {batch_size, margin, dropout, monolingual, exclude_same_text, seed,
                    frozen.shape(0) ? frozen.data() : nullptr}),
          batch_size_(batch_size) {
        const auto same = [&](const Matrix& other) {
            return other.shape(0) == embeddings.shape(0) && other.shape(1) == embeddings.shape(1);
        };
        require(embeddings.shape(1) > 0 && embeddings.shape(1) % TILE == 0, "the width must be a multiple of 16");
        require(same(first) && same(second) && current.shape(0) == embeddings.shape(0), "the state's shapes differ");
        require(frozen.shape(0) == 0 || frozen.shape(0) == embeddings.shape(0), "one truth a row, or none at all");
        require(batch_size > 0 && batch_size <= MOST_PAIRS && dropout >= 0 && dropout < 1, "batch_size or dropout out of range");
        trainer_.optimiser.resume(step_weights.data(), step_weights.shape(0));
        for (std::size_t row = 0; row < current.shape(0); ++row)
            require(current(row) <= step_weights.shape(0), "a row is ahead of the step count");
    }

    // Ids are checked when a corpus is first used, not with each mega-batch.
    void use(Ids source_ids, Offsets source_offsets, Ids target_ids, Offsets target_offsets) {
        corpus_ = sides_of(source_ids, source_offsets, target_ids, target_offsets);
        arrays_ = nb::make_tuple(source_ids, source_offsets, target_ids, target_offsets);
    }

    // Some of the corpus's pairs.
    nb::dict train(Array<const std::uint32_t, 1> pairs, Array<const float, 1> rates, std::size_t threads) {
        for (std::size_t at = 0; at < pairs.shape(0); ++at) require(pairs(at) < corpus_.pairs, "no such pair");
        return learn(corpus_, pairs.data(), pairs.shape(0), rates, threads);
    }

    // Pairs that are seen only now.
    nb::dict train_on(Ids source_ids, Offsets source_offsets, Ids target_ids, Offsets target_offsets,
                      Array<const float, 1> rates, std::size_t threads) {
        const Sides sides = sides_of(source_ids, source_offsets, target_ids, target_offsets);
        require(sides.pairs < MOST_PAIRS, "too many pairs");
        std::vector<std::uint32_t> all(sides.pairs);
        std::iota(all.begin(), all.end(), 0U);
        return learn(sides, all.data(), all.size(), rates, threads);
    }

    void settle(Matrix out, std::size_t threads) const {
        require_threads(threads);
        require(out.shape(0) == embeddings_.shape(0) && out.shape(1) == embeddings_.shape(1), "out has another shape");
        const Unlocked unlocked;
        trainer_.optimiser.settle(out.data(), threads);
    }

    Array<float, 1> step_weights() const { return to_numpy(std::vector<float>(trainer_.optimiser.step_weights)); }

  private:
    struct Sides {
        Tokens source, target;
        std::size_t pairs;
    };

    Sides sides_of(const Ids& source_ids, const Offsets& source_offsets, const Ids& target_ids,
                   const Offsets& target_offsets) const {
        require(source_offsets.shape(0) == target_offsets.shape(0), "the sides hold different numbers of sentences");
        const Tokens source = tokens_of(source_ids, source_offsets, embeddings_.shape(0));
        const Tokens target = tokens_of(target_ids, target_offsets, embeddings_.shape(0));
        require(source.id_bytes == target.id_bytes, "the sides' ids differ in type");
        return {source, target, source_offsets.shape(0) - 1};
    }

    nb::dict learn(const Sides& sides, const std::uint32_t* pairs, std::size_t count, const Array<const float, 1>& rates,
                   std::size_t threads) {
        require_threads(threads);
        require(count > 0 && rates.shape(0) == (count + batch_size_ - 1) / batch_size_, "one rate a mini-batch");
        MegaBatchResult result;
        {
            const Unlocked unlocked;
            result = trainer_.train(sides.source, sides.target, pairs, count, rates.data(), threads);
        }
        nb::dict answer;
        answer["loss"] = result.loss;
        answer["encode"] = result.seconds.encode;
        answer["negatives"] = result.seconds.negatives;
        answer["prepare"] = result.seconds.prepare;
        answer["steps"] = result.seconds.steps;
        return answer;
    }

    Matrix embeddings_, first_, second_;
    Array<std::uint32_t, 1> current_;
    Array<const std::uint8_t, 1> frozen_;
    nb::tuple arrays_;  // of the corpus
    Sides corpus_{};
    Trainer trainer_;
    std::size_t batch_size_;
};

nb::tuple hardest(ConstMatrix source, ConstMatrix target, std::vector<std::vector<std::int32_t>> row_keys,
                  std::vector<std::vector<std::int32_t>> column_keys, std::size_t threads) {
    require_threads(threads);
    require(source.shape(1) == target.shape(1) && source.shape(1) > 0 && source.shape(1) % TILE == 0,
            "widths must agree, in multiples of 16");
    require(row_keys.size() == column_keys.size() && row_keys.size() <= 3, "at most three keys, the same on both sides");
    QuantisedSide rows, columns;
    Keys of_rows, of_columns;
    for (std::size_t key = 0; key < row_keys.size(); ++key) {
        require(row_keys[key].size() == source.shape(0) && column_keys[key].size() == target.shape(0), "one key a sentence");
        of_rows.of[of_rows.count++] = row_keys[key];
        of_columns.of[of_columns.count++] = column_keys[key];
    }
    const auto fill = [](QuantisedSide& side, const ConstMatrix& matrix) {
        side.prepare(matrix.shape(0), matrix.shape(1));
        for (std::size_t at = 0; at < matrix.shape(0); ++at) side.put(at, matrix.data() + at * matrix.shape(1));
    };
    fill(rows, source);
    fill(columns, target);
    rows.as_rows();
    columns.as_columns();
    Negatives found;
    find_negatives(rows, columns, of_rows, of_columns, threads, found);
    found.column_index.resize(target.shape(0));
    found.column_cosine.resize(target.shape(0));
    return nb::make_tuple(to_numpy(std::move(found.row_index)), to_numpy(std::move(found.row_cosine)),
                          to_numpy(std::move(found.column_index)), to_numpy(std::move(found.column_cosine)));
}

Top top_of(Matrix& cosine, Array<std::int32_t, 2>& index, std::size_t first, std::size_t count) {
    require(cosine.shape(0) == index.shape(0) && cosine.shape(1) == index.shape(1), "a place for each cosine");
    require(cosine.shape(1) > 0 && first <= cosine.shape(0) && count <= cosine.shape(0) - first,
            "the block lies outside");
    return Top{cosine.data(), index.data(), cosine.shape(1)};
}

void meet_blocks(ConstMatrix rows, ConstMatrix columns, std::size_t first_row, std::size_t first_column,
                 Matrix row_cosine, Array<std::int32_t, 2> row_index, Matrix column_cosine,
                 Array<std::int32_t, 2> column_index, std::size_t threads) {
    require_threads(threads);
    require(rows.shape(1) == columns.shape(1) && rows.shape(1) <= WIDEST, "rows and columns of one length");
    const Meeting meeting{rows.data(),    columns.data(), rows.shape(0), columns.shape(0),
                          rows.shape(1), first_row,      first_column};
    const Top best_of_rows = top_of(row_cosine, row_index, first_row, meeting.row_count);
    const Top best_of_columns = top_of(column_cosine, column_index, first_column, meeting.column_count);
    const Unlocked unlocked;
    meet(meeting, best_of_rows, best_of_columns, threads);
}

}  // namespace
}  // namespace calque

NB_MODULE(_kernel, module) {
    using namespace calque;
    module.doc() = "Calque's inner loops.";
    nb::set_leak_warnings(false);  // a daemon thread holds its model until the process has ended, which is no leak
    module.def("target", [] { return hot().name; }, "The instruction set in use.");
    module.def("matrix", &matrix, "rows"_a, "columns"_a, "Uninitialised float32, in memory that is used again.");
    module.def("mean", &mean, "embeddings"_a, "ids"_a, "offsets"_a, "out"_a.noconvert(), "threads"_a,
               "The mean of each sentence's rows.");
    module.def("hardest", &hardest, "source"_a, "target"_a, "row_keys"_a, "column_keys"_a, "threads"_a,
               "For each row its nearest column with no key in common, and the other way round.");
    module.def("meet", &meet_blocks, "rows"_a, "columns"_a, "first_row"_a, "first_column"_a,
               "row_cosine"_a.noconvert(), "row_index"_a.noconvert(), "column_cosine"_a.noconvert(),
               "column_index"_a.noconvert(), "threads"_a,
               "Keeps the best of each row and column of the product of two blocks, in place.");
    nb::class_<WordTable>(module, "WordTable")
        .def(nb::init<std::size_t, std::size_t, bool, std::uint64_t>(), "dimension"_a, "most_words"_a, "fold_case"_a,
             "seed"_a)
        .def("encode", &encode_words, "texts"_a, "which"_a, "out"_a.noconvert(), "pieces"_a.noconvert(),
             "normalize"_a, "threads"_a)
        .def("add", &add_words, "words"_a, "ids"_a, "offsets"_a, "embeddings"_a)
        .def("__len__", &WordTable::size);
    nb::class_<BoundTrainer>(module, "Trainer")
        .def(nb::init<Matrix, Matrix, Matrix, Array<std::uint32_t, 1>, Array<const float, 1>, std::size_t, float, float,
                      float, float, float, bool, bool, std::uint64_t, Array<const std::uint8_t, 1>>(),
             "embeddings"_a.noconvert(), "first_moments"_a.noconvert(), "second_moments"_a.noconvert(),
             "current"_a.noconvert(), "step_weights"_a, "batch_size"_a,
             "margin"_a, "dropout"_a, "beta_first"_a, "beta_second"_a, "epsilon"_a, "monolingual"_a,
             "exclude_same_text"_a, "seed"_a, "frozen"_a)
        .def("use", &BoundTrainer::use, "source_ids"_a, "source_offsets"_a, "target_ids"_a, "target_offsets"_a)
        .def("train", &BoundTrainer::train, "pairs"_a, "rates"_a, "threads"_a)
        .def("train_on", &BoundTrainer::train_on, "source_ids"_a, "source_offsets"_a, "target_ids"_a,
             "target_offsets"_a, "rates"_a, "threads"_a)
        .def("settle", &BoundTrainer::settle, "out"_a.noconvert(), "threads"_a)
        .def("step_weights", &BoundTrainer::step_weights);
    bind_scan(module);
    bind_text(module);
    bind_alignment(module);
}

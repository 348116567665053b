package proto

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
)

// fill copies the keys of obj into the fields of the struct at target, by
// exact name, and ignores the keys that it has no field for. A value of the
// wrong type is an error; null leaves the field alone. It knows the types that
// the messages are made of: bool, int, int64, string, and structs of them.
func fill(target any, obj map[string]any) error {
	v := reflect.ValueOf(target).Elem()
	for i := range v.NumField() {
		key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		value, present := obj[key]
		if !present || value == nil {
			continue
		}
		if err := fillField(v.Field(i), value); err != nil {
			return fmt.Errorf("%s %w", key, err)
		}
	}
	return nil
}

func fillField(field reflect.Value, value any) error {
	switch field.Kind() {
	case reflect.Bool:
		if b, ok := value.(bool); ok {
			field.SetBool(b)
			return nil
		}
	case reflect.String:
		if s, ok := value.(string); ok {
			field.SetString(s)
			return nil
		}
	case reflect.Int, reflect.Int64:
		if n, ok := safeInteger(value); ok && !field.OverflowInt(n) {
			field.SetInt(n)
			return nil
		}
	case reflect.Struct:
		if obj, ok := value.(map[string]any); ok {
			return fill(field.Addr().Interface(), obj)
		}
	}
	return fmt.Errorf("is not a %s", field.Kind())
}

// safeInteger is a whole number that a double holds exactly.
func safeInteger(v any) (int64, bool) {
	f, ok := whole(v)
	if !ok || math.Abs(f) > 1<<53-1 {
		return 0, false
	}
	return int64(f), true
}

// plain turns the numbers of a decoded value into doubles, in place, so that
// callers meet what encoding/json would have given them.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if f, ok := finite(v); ok {
			return f
		}
		return nil // as JavaScript writes an infinite number
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = plain(v[key])
		}
	}
	return v
}

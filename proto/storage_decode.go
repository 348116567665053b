package proto

import "fmt"

// DecodeStorageAnswer reads what [StorageState.Answer] wrote.
func DecodeStorageAnswer(data []byte) (StorageState, error) {
	doc, err := decodeObject(data)
	if err != nil {
		return StorageState{}, storageInvalid("the answer is " + err.Error())
	}
	return storageState(doc["storage_state"], "storage_state")
}

// DecodeStorageState reads a storage state on its own, such as a saved file.
func DecodeStorageState(data []byte) (StorageState, error) {
	v, err := decodeValue(data)
	if err != nil {
		return StorageState{}, storageInvalid("the storage state is " + err.Error())
	}
	return storageState(v, "storage_state")
}

func storageState(v any, key string) (StorageState, error) {
	c := new(checker)
	s := c.storageState(key, v)
	if len(c.failures) > 0 {
		return StorageState{}, storageInvalid(c.failures[0].Message)
	}
	return s, nil
}

func storageInvalid(message string) error {
	return &Error{Code: CodeStorageInvalid, Message: message}
}

// storageState checks the shape of v. Entries are named by their number from 1
// because their own text may be a secret.
func (c *checker) storageState(key string, v any) StorageState {
	obj, ok := v.(map[string]any)
	if !ok {
		c.fail(key, "must be an object")
		return StorageState{}
	}
	c.warnUnknown(key, obj, "cookies", "origins")
	var s StorageState
	for i, v := range c.array(key+".cookies", obj["cookies"]) {
		if cookie, ok := cookieOf(v); ok {
			s.Cookies = append(s.Cookies, cookie)
		} else {
			c.fail(key+".cookies", fmt.Sprintf("entry %d must have a name, a value, a domain and a path that are strings", i+1))
		}
	}
	for i, v := range c.array(key+".origins", obj["origins"]) {
		if origin, ok := originOf(v); ok {
			s.Origins = append(s.Origins, origin)
		} else {
			c.fail(key+".origins", fmt.Sprintf("entry %d must have an origin and a localStorage of names and values that are strings", i+1))
		}
	}
	return s
}

func cookieOf(v any) (Cookie, bool) {
	obj, _ := v.(map[string]any)
	name, ok1 := obj["name"].(string)
	value, ok2 := obj["value"].(string)
	domain, ok3 := obj["domain"].(string)
	path, ok4 := obj["path"].(string)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return Cookie{}, false
	}
	c := Cookie{Name: name, Value: value, Domain: domain, Path: path, Expires: sessionCookie}
	if f, ok := finite(obj["expires"]); ok {
		c.Expires = f
	}
	c.HTTPOnly = obj["httpOnly"] == true
	c.Secure = obj["secure"] == true
	c.SameSite, _ = obj["sameSite"].(string)
	return c.normal(), true
}

func originOf(v any) (OriginState, bool) {
	obj, _ := v.(map[string]any)
	origin, ok := obj["origin"].(string)
	if !ok {
		return OriginState{}, false
	}
	o := OriginState{Origin: origin}
	if obj["localStorage"] == nil {
		return o, true
	}
	items, ok := obj["localStorage"].([]any)
	if !ok {
		return OriginState{}, false
	}
	for _, item := range items {
		pair, _ := item.(map[string]any)
		name, ok1 := pair["name"].(string)
		value, ok2 := pair["value"].(string)
		if !ok1 || !ok2 {
			return OriginState{}, false
		}
		o.LocalStorage = append(o.LocalStorage, NameValue{name, value})
	}
	return o, true
}
